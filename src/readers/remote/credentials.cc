#include "readers/remote/credentials.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/check.h"

namespace penstock::remote {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string path_of(const char* variable, const char* usual) {
  const std::string given = environment(variable);
  return given.empty() ? environment("HOME") + usual : given;
}

/// What the profile says in one of AWS's two files.
class Profile {
 public:
  Profile()
      : name_(environment("AWS_PROFILE")),
        credentials_(text_of(path_of("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials"))),
        config_(text_of(path_of("AWS_CONFIG_FILE", "/.aws/config"))) {
    if (name_.empty()) name_ = environment("AWS_DEFAULT_PROFILE");
    named_ = !name_.empty();
    if (!named_) name_ = "default";
  }
  std::string value(const std::string& name) {
    const std::string in_credentials = ini_value(credentials_, name_, name, found_);
    const std::string section = name_ == "default" ? name_ : "profile " + name_;
    return in_credentials.empty() ? ini_value(config_, section, name, found_) : in_credentials;
  }
  void check() const {
    PENSTOCK_CHECK(found_ || !named_, ArgumentError,
                   "AWS_PROFILE is \"{}\", which neither ~/.aws/credentials nor ~/.aws/config has", name_);
  }

 private:
  std::string name_, credentials_, config_;
  bool named_ = false, found_ = false;
};

bool is_set(const char* name) {
  const std::string value = environment(name);
  return value == "1" || value == "YES" || value == "yes" || value == "true" || value == "TRUE" || value == "True";
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string ini_value(const std::string& text, const std::string& section, const std::string& name, bool& found) {
  bool inside = false;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end), content = trimmed(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (content.empty() || content[0] == '#' || content[0] == ';') continue;
    if (content[0] == '[') {
      inside = content.back() == ']' && trimmed(content.substr(1, content.size() - 2)) == section;
      found |= inside;
      continue;
    }
    const size_t equals = content.find('=');
    const bool nested = line[0] == ' ' || line[0] == '\t';  // of an entry such as "s3 ="
    if (!inside || nested || equals == std::string_view::npos) continue;
    if (trimmed(content.substr(0, equals)) == name) return std::string(trimmed(content.substr(equals + 1)));
  }
  return {};
}

Credentials aws_credentials() {
  if (is_set("AWS_NO_SIGN_REQUEST")) return {};
  Credentials given = {environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
                       environment("AWS_SESSION_TOKEN")};
  if (!given.key.empty() && !given.secret.empty()) return given;
  Profile profile;
  Credentials found = {profile.value("aws_access_key_id"), profile.value("aws_secret_access_key"),
                       profile.value("aws_session_token")};
  profile.check();
  return found.key.empty() || found.secret.empty() ? Credentials{} : found;
}

std::string aws_region() {
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"})
    if (std::string region = environment(name); !region.empty()) return region;
  const std::string region = Profile().value("region");
  return region.empty() ? "us-east-1" : region;
}

Credentials google_credentials() {
  Credentials given = {environment("GS_ACCESS_KEY_ID"), environment("GS_SECRET_ACCESS_KEY"),
                       environment("CLOUDSDK_AUTH_ACCESS_TOKEN")};
  if (given.key.empty() || given.secret.empty()) given.key = given.secret = "";
  return given;
}

}  // namespace penstock::remote
