// Many small things of the cache in few files: a million records of 1 KB are not a million files.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "readers/remote/cache_folder.h"

namespace penstock::remote {

/// A pack is a file of bytes, "pack", beside a list of where they lie and of their checksums, "idx", to which is
/// added what is whole. One process writes it and holds a lock on "room" meanwhile, a file without contents as long as
/// the pack may become. All read it. A pack is deleted as a whole. Any thread.
class CachePacks {
 public:
  explicit CachePacks(const CacheFolder& folder);

  /// What is kept by that key. Nothing where it is damaged, too: then it is forgotten.
  std::optional<std::string> find(const Key& key);
  /// Whether something is; brings it into the system's memory.
  bool will_need(const Key& key);
  /// Keeps it, unless there is no room, or something by that key already.
  void put(const Key& key, std::string_view bytes);
  /// Keeps it in place of what is there.
  void renew(const Key& key, std::string_view bytes);

 private:
  struct Record;  // as it stands in "idx"
  struct Place {
    uint32_t pack = 0, sum = 0;
    int64_t begin = 0, size = 0;
  };
  struct Pack {
    std::string name;
    int64_t listed = 0;                                    // bytes of "idx" that were read
    bool gone = false, is_open = false, complete = false;  // is_open: it may still be written
    std::chrono::steady_clock::time_point touched;
  };
  struct Own;  // the one that this process writes
  struct Hash {
    size_t operator()(const Key& key) const { return key.a; }
  };

  std::optional<Place> place_of(const Key& key);
  void look_again();
  void list(uint32_t which);
  void touch(Pack& pack);
  std::string path_of(uint32_t which, std::string_view kind);
  void forget(const Key& key, const Place& place, bool damaged);
  std::shared_ptr<Own> own_for(int64_t size);
  std::shared_ptr<Own> start_pack(int64_t size);
  void write(const Key& key, std::string_view bytes);

  const CacheFolder& folder_;
  int64_t pack_size_;
  std::mutex mutex_;  // of all below
  std::unordered_map<Key, Place, Hash> places_;
  std::vector<Pack> packs_;
  std::unordered_set<std::string> known_;  // names of packs
  std::chrono::steady_clock::time_point looked_, full_;
  int64_t changed_ = -1;  // when the folder was, as it was last read
  std::shared_ptr<Own> own_;
  std::atomic<bool> read_only_ = false;
};

}  // namespace penstock::remote
