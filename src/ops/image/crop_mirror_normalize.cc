#include <algorithm>
#include <bit>

#include "core/dispatch.h"
#include "kernels/gather/job.h"
#include "ops/image/placement.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct CropMirrorNormalizeArgs : CropArgs, OutOfBoundsArgs {
  DType dtype = DType::kFloat;
  std::string output_layout = "CHW";
  bool pad_output = false;
  int32_t mirror = 0;
  std::vector<float> mean = {0.f};
  std::vector<float> std = {1.f};  // NOLINT: DALI's name
  float scale = 1, shift = 0;
};

/// out = (in - mean) * inverse, with factors per element of a row; one row per channel unless rows hold all channels.
struct Factors {
  const float* mean = nullptr;
  const float* inverse = nullptr;
  int64_t row_stride = 0;  ///< 0 when the same row serves all channels
  bool identity = true;
};

float element(const std::vector<float>& list, int64_t channel) {
  // Channels that only pad_output adds are filled, never computed.
  return list[static_cast<size_t>(std::min(channel, static_cast<int64_t>(list.size()) - 1))];
}

/// Folds scale and shift in: mean - shift * std / scale and scale / std, in double as DALI does.
struct Factor {
  float mean, inverse;
  Factor(const CropMirrorNormalizeArgs& args, int64_t channel) {
    const double std = element(args.std, channel), scale = args.scale, shift = args.shift;
    mean = static_cast<float>(element(args.mean, channel) - shift * std / scale);
    inverse = static_cast<float>(scale / std);
  }
  bool identity() const { return mean == 0 && inverse == 1; }
};

struct NormalizeState : PlacedState {
  std::vector<float> mean, inverse;          // per element of the map's rows
  std::vector<float> given_mean, given_std;  // the arguments that they were made of
  int64_t given_map = -1;
  Factors factors;
};

const Factors& fold(const CropMirrorNormalizeArgs& args, NormalizeState& state) {
  if (state.given_map == state.map_number && state.given_mean == args.mean && state.given_std == args.std)
    return state.factors;
  const kernels::GatherMap& map = state.map;
  const auto channels = map.row_channels();
  const int64_t n = map.row_size(), rows = channels.empty() ? map.num_channels() : 1;
  state.mean.clear(), state.inverse.clear();
  bool identity = true;
  for (int64_t row = 0; row < rows; ++row) {
    Factor factor(args, row);
    int64_t known = row;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t channel = channels.empty() ? row : channels[static_cast<size_t>(i)];
      if (channel != known) factor = Factor(args, known = channel);
      identity = identity && factor.identity();
      state.mean.push_back(factor.mean), state.inverse.push_back(factor.inverse);
    }
  }
  state.factors = {.mean = state.mean.data(),
                   .inverse = state.inverse.data(),
                   .row_stride = channels.empty() ? n : 0,
                   .identity = identity};
  state.given_mean = args.mean, state.given_std = args.std;
  state.given_map = state.map_number;
  return state.factors;
}

template <class In, class Out>
void normalize_rows(Sample& s, const kernels::GatherMap& map, const Factors& factors, std::span<const float> fills) {
  constexpr bool kVectorised =
      std::is_same_v<In, uint8_t> && (std::is_same_v<Out, float> || std::is_same_v<Out, float16>);
  const auto convert = [&](const In* in, int64_t n, int64_t index, int64_t channel, Out* out) {
    const float* mean = factors.mean + channel * factors.row_stride + index;
    const float* inverse = factors.inverse + channel * factors.row_stride + index;
    if constexpr (kVectorised) {
      kernels::normalize_row(in, static_cast<size_t>(n), mean, inverse, out);
    } else if (factors.identity) {
      for (int64_t i = 0; i < n; ++i) out[i] = convert_sat<Out>(in[i]);  // float would lose bits of int32
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = convert_sat<Out>((static_cast<float>(in[i]) - mean[i]) * inverse[i]);
    }
  };
  const In* in = s.in(0).tensor.as<In>();
  Out* out = s.out(0).tensor.as<Out>();
  const std::span<const Out> fill = convert_fills<Out>(s, fills, map.num_channels());
  In* scratch = s.scratch_array<In>(static_cast<size_t>(3 * map.row_size()));
  if constexpr (kVectorised) {
    if (map.splits_planes()) return kernels::gather_planes<Out>(map, in, fill, out, scratch, convert);
  }
  kernels::gather<In, Out>(map, in, fill, out, scratch, convert);
}

class CropMirrorNormalize final : public PlacedOperator<CropMirrorNormalizeArgs, NormalizeState> {
 public:
  void setup() override {
    const CropMirrorNormalizeArgs& args = constants();
    check_crop_args(spec(), args);
    set_policy(out_of_bounds_policy(args.out_of_bounds_policy, false));
    program_.joins = program_.joins && !args.pad_output;
    program_.operands = 3;
    program_.instructions = 5;
    PENSTOCK_CHECK(args.dtype == DType::kFloat || args.dtype == DType::kFloat16 || args.dtype == DType::kUInt8 ||
                       args.dtype == DType::kInt8,
                   ArgumentError, "Not supported output type: {}; use FLOAT, FLOAT16, UINT8 or INT8",
                   name_of(args.dtype));
  }
  void run(Sample& s) const override {
    const kernels::GatherMap& map = map_sample(s, state(s));
    const Factors& factors = fold(args(s), state(s));
    const std::span<const float> fills = used_fills(state(s), s.in(0).tensor, args(s).fill_values);
    for_input(s.in(0).tensor.dtype, [&](auto in) {
      dispatch_among<float, float16, uint8_t, int8_t>(args(s).dtype, [&](auto out) {
        normalize_rows<typename decltype(in)::type, typename decltype(out)::type>(s, map, factors, fills);
      });
    });
  }

 private:
  template <class Fn>
  static void for_input(DType dtype, Fn&& fn) {
    dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float, float16>(dtype, fn);
  }
  const std::vector<float>& fill_values(const Sample& s) const override { return args(s).fill_values; }

  struct PerChannel {
    const float *mean = nullptr, *inverse = nullptr;
  };
  /// Factors of each channel for a GPU; none where they change nothing.
  PerChannel per_channel(Sample& s, int64_t channels, device::Staging& staging) const {
    bool identity = true;
    for (int64_t c = 0; c < channels; ++c) identity = identity && Factor(args(s), c).identity();
    if (identity) return {};
    const auto count = static_cast<size_t>(channels);
    const auto [means, mean] = staging.make<float>(count);
    const auto [inverses, inverse] = staging.make<float>(count);
    for (size_t c = 0; c < count; ++c) {
      const Factor factor(args(s), static_cast<int64_t>(c));
      means[c] = factor.mean, inverses[c] = factor.inverse;
    }
    return {mean, inverse};
  }

  void change(Sample& s, device::Staging& staging, kernels::GatherJob& job) const override {
    const PerChannel factors = per_channel(s, job.channel_axis < 0 ? 1 : job.extents[job.channel_axis], staging);
    job.mean = factors.mean;
    job.inverse = factors.inverse;
  }

  void change(Sample& s, device::Staging& staging, ElementWork& work) const override {
    const TensorDesc& out = s.out(0).tensor;
    const int channel = out.layout.find('C');
    const Shape channels{out.shape[channel]};
    const PerChannel factors = per_channel(s, channels[0], staging);
    if (factors.mean) {
      ElementView view;
      view.axis.fill(-1);
      view.axis[static_cast<size_t>(channel)] = 0, view.step[static_cast<size_t>(channel)] = 1;
      work.convert(DType::kFloat);
      work.apply(kernels::Code::kSub, DType::kFloat, work.table(factors.mean, DType::kFloat, channels, view),
                 DType::kFloat);
      work.apply(kernels::Code::kMul, DType::kFloat, work.table(factors.inverse, DType::kFloat, channels, view),
                 DType::kFloat);
    }
    work.convert(out.dtype);
  }

  Placement place(const Sample& s) const override {
    const TensorDesc& input = s.in(0).tensor;
    const CropMirrorNormalizeArgs& args = this->args(s);
    for_input(input.dtype, [](auto) {});  // refuses other types
    Placement placement = placed_whole(input);
    placement.window = crop_window(args, input);
    placement.policy = policy();
    placement.dtype = args.dtype;
    bound_window(policy(), input.shape, placement.window);
    placement.mirrored[static_cast<size_t>(input.layout.find('W'))] = args.mirror != 0;
    const Layout output = args.output_layout.empty() ? input.layout : Layout(args.output_layout);
    PENSTOCK_CHECK(is_permutation(output, input.layout), ArgumentError,
                   "The requested output layout is not a permutation of input layout: \"{}\" of \"{}\"", output.view(),
                   input.layout.view());
    for (int i = 0; i < output.ndim(); ++i) placement.order[static_cast<size_t>(i)] = input.layout.find(output[i]);
    const int64_t channels = input.shape[input.layout.find('C')];
    if (args.pad_output) placement.channels = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(channels)));
    check_factors(args, channels, std::max(channels, placement.channels));
    return placement;
  }

  static void check_factors(const CropMirrorNormalizeArgs& args, int64_t channels, int64_t padded) {
    const auto mean = static_cast<int64_t>(args.mean.size()), std = static_cast<int64_t>(args.std.size());
    PENSTOCK_CHECK(mean > 0 && std > 0, ArgumentError, "`mean` and `std` need at least one value each");
    PENSTOCK_CHECK(mean == std || mean == 1 || std == 1, ArgumentError,
                   "`mean` and `std` must either be of the same size, be scalars, or one of them can be a vector and "
                   "the other a scalar; got {} and {} values",
                   mean, std);
    const int64_t given = std::max(mean, std);
    PENSTOCK_CHECK(given == 1 || given == channels || given == padded, ArgumentError,
                   "The number of per-channel arguments should match the number of channels in the output slice: {} "
                   "values of `mean` or `std`, {} channels",
                   given, channels);
  }
};

}  // namespace

[[gnu::cold]] void register_crop_mirror_normalize(Registry& r) {
  using Args = CropMirrorNormalizeArgs;
  auto builder = r.add<CropMirrorNormalize>("crop_mirror_normalize");
  builder
      .doc(
          "Crops, mirrors, normalizes and permutes images in one pass: scale * (x - mean) / std + shift.\n\n"
          "Without crop arguments the whole image is taken.")
      .input("images", image_layouts(),
             "Images, volumes or sequences; a channel dimension is needed even for monochrome ones.")
      .output("normalized", "The window in `output_layout`.")
      .arg("dtype", &Args::dtype, "FLOAT, FLOAT16, UINT8 or INT8.")
      .arg("output_dtype", &Args::dtype, "Older name of `dtype`.", kHidden)
      .arg("output_layout", &Args::output_layout, "A permutation of the input's layout; \"\" keeps it.")
      .arg("pad_output", &Args::pad_output, "Add channels up to the next power of two.")
      .arg("mirror", &Args::mirror, "Whether to mirror left to right.", kPerSample)
      .arg("mean", &Args::mean, "Subtracted: one value, or one per channel.", kPerSample)
      .arg("std", &Args::std, "Divided by: one value, or one per channel.", kPerSample)
      .arg("scale", &Args::scale, "Multiplies the normalized value.")
      .arg("shift", &Args::shift, "Added to the normalized, scaled value.")
      .ignored("image_type", ArgType::kImageType, "Without meaning in DALI, too.", kDeprecated)
      .differs(
          "With `pad_output` the `fill_values` may be one per channel of the input, whatever `mean` is; channels that "
          "are added are 0 then.")
      .example({{"crop_h", 4}, {"crop_w", 5}, {"mirror", 1}, {"mean", {90.0}}, {"output_layout", ""}});
  add_out_of_bounds_args(add_crop_args(builder));
}

}  // namespace penstock
