#include "arguments.h"

#include <vector>

#include "core/check.h"
#include "text.h"

namespace penstock::bindings {
namespace {

std::string type_of(nb::handle value) { return bytes_of(nb::str(value.type())); }

bool is_text(nb::handle value) { return nb::isinstance<nb::str>(value) || nb::isinstance<nb::bytes>(value); }
bool is_integer(nb::handle value) { return PyIndex_Check(value.ptr()) != 0; }
bool is_number(nb::handle value) {
  if (is_text(value) || PyType_Check(value.ptr())) return false;
  return is_integer(value) || PyFloat_Check(value.ptr()) || nb::hasattr(value, "__float__");
}
bool is_list(nb::handle value) { return nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value); }

/// The value itself, or what it stands for: a path is a string; NumPy's and torch's have their values as Python's.
nb::object plain(nb::handle value) {
  const bool is_class = PyType_Check(value.ptr());  // it has its objects' methods, unbound
  if (is_class || PyUnicode_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr())) return nb::borrow(value);
  if (nb::hasattr(value, "__fspath__")) return nb::module_::import_("os").attr("fspath")(value);
  if (nb::hasattr(value, "tolist")) return value.attr("tolist")();
  return nb::borrow(value);
}

int64_t to_integer(nb::handle value) {
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number) throw nb::python_error();
  int overflow = 0;
  const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  PENSTOCK_CHECK(!overflow, ArgumentError, "{} does not fit into 64 bits", bytes_of(nb::str(number)));
  return result;
}

double to_real(nb::handle value) {
  const nb::object number = nb::steal(PyNumber_Float(value.ptr()));
  if (!number) throw nb::python_error();
  return PyFloat_AsDouble(number.ptr());
}

/// Nested lists, as matrices are written, become one flat list.
void flatten(nb::handle sequence, std::vector<nb::object>& flat, int depth = 0) {
  constexpr int kDeepest = 32;
  PENSTOCK_CHECK(depth < kDeepest, ArgumentError, "lists are nested more than {} deep", kDeepest);
  for (nb::handle item : sequence) {
    const nb::object value = plain(item);
    if (is_list(value)) {
      flatten(value, flat, depth + 1);
      continue;
    }
    PENSTOCK_CHECK(is_text(value) || is_number(value), TypeError, "a list may hold numbers or strings, not {}",
                   type_of(value));
    flat.push_back(value);
  }
}

std::string to_string(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return bytes_of(nb::borrow<nb::str>(value));
  PENSTOCK_CHECK(nb::isinstance<nb::bytes>(value), TypeError, "a list of strings may not hold {}", type_of(value));
  const auto bytes = nb::borrow<nb::bytes>(value);
  return {bytes.c_str(), bytes.size()};
}

template <class T>
std::vector<T> list_of(const std::vector<nb::object>& items, T (*convert)(nb::handle)) {
  std::vector<T> list;
  list.reserve(items.size());
  for (const nb::object& item : items) list.push_back(convert(item));
  return list;
}

ArgValue list_value(nb::handle sequence) {
  std::vector<nb::object> flat;
  flatten(sequence, flat);
  bool numbers = true, integers = true;
  for (const nb::object& item : flat) {
    numbers &= !is_text(item);
    integers &= is_integer(item);
  }
  if (integers) return list_of<int64_t>(flat, to_integer);
  if (numbers) return list_of<double>(flat, to_real);
  return list_of<std::string>(flat, to_string);
}

/// Values say themselves in words: str(value).
Dict to_dict(const nb::dict& given) {
  Dict dict;
  for (const auto& [name, value] : given) {
    PENSTOCK_CHECK(nb::isinstance<nb::str>(name), TypeError, "names in a dict are strings, not {}", type_of(name));
    dict.emplace_back(to_string(name), bytes_of(nb::str(value)));
  }
  return dict;
}

ArgValue to_value(nb::handle given) {
  const nb::object value = plain(given);
  if (value.is_none()) return {};
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (is_text(value)) return to_string(value);
  if (is_list(value)) return list_value(value);
  if (nb::isinstance<nb::dict>(value)) return to_dict(nb::borrow<nb::dict>(value));
  if (is_integer(value)) return to_integer(value);
  if (is_number(value)) return to_real(value);
  fail<TypeError>("a value of {} cannot be an argument", type_of(value));
}

nb::object from_value(std::monostate) { return nb::none(); }
nb::object from_value(const std::string& text) { return text_of(text); }
template <class T>
nb::object from_value(const T& number) {
  return nb::cast(number);
}
template <class T>
nb::object from_value(const std::vector<T>& all) {
  nb::list list;
  for (const T& one : all) list.append(from_value(one));
  return list;
}
nb::object from_value(const Dict& all) {
  nb::dict dict;
  for (const auto& [name, text] : all) dict[text_of(name)] = text_of(text);
  return dict;
}

}  // namespace

nb::dict from_values(const std::map<std::string, ArgValue>& values) {
  nb::dict args;
  for (const auto& [name, value] : values)
    args[name.c_str()] = std::visit([](const auto& one) { return from_value(one); }, value);
  return args;
}

std::map<std::string, ArgValue> to_values(const nb::dict& args) {
  std::map<std::string, ArgValue> values;
  for (const auto& [key, value] : args) {
    const std::string name = bytes_of(nb::borrow<nb::str>(key));
    try {
      values.emplace(name, to_value(value));
    } catch (Error& e) {
      e.add_context({.argument = name});
      throw;
    } catch (const nb::python_error& e) {  // from a value's own methods
      TypeError named(bytes_of(nb::str(e.value())));
      named.add_context({.argument = name});
      throw named;
    }
  }
  return values;
}

}  // namespace penstock::bindings
