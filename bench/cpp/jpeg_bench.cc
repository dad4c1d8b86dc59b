// Our JPEG decoder against libjpeg-turbo, file by file in turns, on one core and in its CPU time, so that other work on
// the machine meets both alike. PENSTOCK_JPEGS names a folder of files; sets like ImageNet are made by
// `penstock bench`. Reports MB/s of encoded bytes and the ratio.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <vector>
// jpeglib.h needs size_t and FILE declared.
#include <jpeglib.h>

#include "codec/jpeg/headers.h"
#include "codec/jpeg/sequential.h"
#include "codec/jpeg/turbo/turbo.h"

namespace penstock::codec::jpeg {
namespace {

using File = std::vector<uint8_t>;

std::vector<File> load_files() {
  std::vector<std::filesystem::path> paths;
  const char* folder = std::getenv("PENSTOCK_JPEGS");
  if (folder != nullptr)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<File> files;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Runs both on every file; the best time that each file ever took counts, which leaves out what others disturb.
template <class Own, class Turbo>
void compare(benchmark::State& state, const Own& own, const Turbo& turbo) {
  const std::vector<File> files = load_files();
  if (files.empty()) return state.SkipWithError("PENSTOCK_JPEGS names no folder of .jpg files");
  std::vector<double> best_own(files.size(), 1e9), best_turbo(files.size(), 1e9);
  double bytes = 0;
  for (const File& file : files) bytes += static_cast<double>(file.size());
  for (auto _ : state)
    for (size_t i = 0; i < files.size(); ++i) {
      const double start = cpu_seconds();
      own(files[i], i);
      const double between = cpu_seconds();
      turbo(files[i], i);
      best_own[i] = std::min(best_own[i], between - start);
      best_turbo[i] = std::min(best_turbo[i], cpu_seconds() - between);
    }
  double own_sum = 0, turbo_sum = 0;
  for (size_t i = 0; i < files.size(); ++i) own_sum += best_own[i], turbo_sum += best_turbo[i];
  state.counters["own_MB/s"] = bytes / own_sum / 1e6;
  state.counters["turbo_MB/s"] = bytes / turbo_sum / 1e6;
  state.counters["own_us"] = own_sum / static_cast<double>(files.size()) * 1e6;
  state.counters["ratio"] = turbo_sum / own_sum;
}

// The entropy part alone, all coefficients kept a few MCUs at a time, headers and unstuffing counted in;
// libjpeg-turbo's nearest is decoding at 1/8.
void entropy(benchmark::State& state) {
  Headers headers;
  Bitstream bits;
  static EntropyDecoder decoder;
  std::vector<int16_t> coefficients(48 * 64 + EntropyDecoder::kSpill);
  std::vector<uint8_t> pixels(size_t{1} << 24);
  compare(
      state,
      [&](const File& file, size_t) {
        if (!read_headers(file, headers)) std::abort();
        const Frame& frame = headers.frame;
        const int64_t mcus = int64_t{frame.mcu_rows()} * frame.mcu_columns();
        const auto bytes = std::span(file).subspan(headers.scan_begin);
        if (!bits.take(bytes, 1) || !decoder.prepare(headers) || !decoder.start(bits)) std::abort();
        const int64_t chunk = 48 / frame.mcu_blocks();
        for (int64_t mcu = 0; mcu < mcus; mcu += chunk) {
          const int64_t now = std::min(chunk, mcus - mcu);
          std::fill_n(coefficients.begin(), now * frame.mcu_blocks() * 64, int16_t{0});
          if (!decoder.read(now, coefficients.data())) std::abort();
        }
      },
      [&](const File& file, size_t) {
        jpeg_decompress_struct d;
        jpeg_error_mgr errors;
        d.err = jpeg_std_error(&errors);
        jpeg_create_decompress(&d);
        jpeg_mem_src(&d, file.data(), file.size());
        jpeg_read_header(&d, TRUE);
        d.scale_num = 1;
        d.scale_denom = 8;
        jpeg_start_decompress(&d);
        JSAMPROW row = pixels.data();
        while (d.output_scanline < d.output_height) jpeg_read_scanlines(&d, &row, 1);
        jpeg_destroy_decompress(&d);
      });
}

// The region as the operators of training draw it: 8 to 100 % of the area, ratio 3/4 to 4/3.
Region train_crop(size_t seed, const Info& info) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> area(.08, 1), ratio(std::log(.75), std::log(4. / 3));
  for (int i = 0; i < 10; ++i) {
    const double a = area(random) * static_cast<double>(info.height * info.width), r = std::exp(ratio(random));
    const auto h = static_cast<int64_t>(std::sqrt(a / r)), w = static_cast<int64_t>(std::sqrt(a * r));
    if (h < 1 || w < 1 || h > info.height || w > info.width) continue;
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint32_t>(n)); };
    return {below(info.height - h + 1), below(info.width - w + 1), h, w};
  }
  return {0, 0, info.height, info.width};
}

// `checkpoints()` gives what a decode is to use, if anything.
template <class Next>
void compare_decoders(benchmark::State& state, bool crops, ImageType type, const Next& checkpoints) {
  static SequentialDecoder own;
  static TurboDecoder turbo;
  std::vector<uint8_t> pixels(size_t{1} << 26);
  std::vector<Region> regions;
  for (const File& file : load_files()) {
    const Info info = peek(file);
    regions.push_back(crops ? train_crop(regions.size(), info) : Region{0, 0, info.height, info.width});
  }
  compare(
      state,
      [&](const File& file, size_t i) {
        const Info info = peek(file);
        if (!own.decode(file, info, type, regions[i], pixels.data(), checkpoints())) std::abort();
      },
      [&](const File& file, size_t i) {
        const Info info = peek(file);
        turbo.decode(file, info, {.type = type}, regions[i], pixels.data());
      });
}

void decode(benchmark::State& state, bool crops, ImageType type) {
  compare_decoders(state, crops, type, [] { return nullptr; });
}

// An epoch with checkpoints in which all of them are made.
void first(benchmark::State& state) {
  std::optional<Checkpoints> fresh;
  compare_decoders(state, true, ImageType::kRGB, [&] { return &fresh.emplace(size_t{1} << 30, std::string()); });
}

// Epochs with checkpoints, but the first one: of each file the best time counts.
void again(benchmark::State& state) {
  Checkpoints checkpoints(size_t{1} << 30, {});
  compare_decoders(state, true, ImageType::kRGB, [&] { return &checkpoints; });
}

BENCHMARK(entropy)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decode, full, false, ImageType::kRGB)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decode, crop, true, ImageType::kRGB)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK(first)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK(again)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decode, gray, false, ImageType::kGray)->Iterations(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock::codec::jpeg
