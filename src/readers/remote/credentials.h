// Credentials for AWS and for Google's cloud: from the environment, then from the files of AWS's command line.
#pragma once

#include <string>

namespace penstock::remote {

struct Credentials {
  std::string key, secret, token;  ///< all empty: anonymous
};

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the profile AWS_PROFILE of
/// AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials) and AWS_CONFIG_FILE (~/.aws/config). Anonymous with
/// AWS_NO_SIGN_REQUEST=1, and where there are none. @throws ArgumentError for a profile that neither file has
Credentials aws_credentials();

/// AWS_REGION, AWS_DEFAULT_REGION, the profile's region, or us-east-1.
std::string aws_region();

/// GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY (HMAC keys), or the access token CLOUDSDK_AUTH_ACCESS_TOKEN.
Credentials google_credentials();

/// Value of an environment variable; empty where there is none.
std::string environment(const char* name);

/// `name` in section [`section`] of an INI file; empty where there is none. `found` tells whether the section is there.
std::string ini_value(const std::string& text, const std::string& section, const std::string& name, bool& found);

}  // namespace penstock::remote
