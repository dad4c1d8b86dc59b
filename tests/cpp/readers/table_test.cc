// Tables from a program: columns of all types, damaged ones, and row groups that are kept and let go.
#include "readers/table/table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <penstock/error.h>

#include "arrow_arrays.h"
#include "core/check.h"
#include "run_reader.h"

namespace penstock {
void register_parquet(Registry& r);

namespace {

using test::arrow_column;
using test::ArrowNode;
using test::RunReader;

ArrowNode texts(const std::vector<int32_t>& offsets, std::string_view bytes) {
  std::vector<char> all(bytes.begin(), bytes.end());
  return {.format = "z",
          .length = static_cast<int64_t>(offsets.size()) - 1,
          .buffers = {{}, ArrowNode::buffer(offsets), ArrowNode::buffer(all)}};
}

ArrowNode lists(const std::vector<int32_t>& offsets, ArrowNode child) {
  return {.format = "+l",
          .length = static_cast<int64_t>(offsets.size()) - 1,
          .buffers = {{}, ArrowNode::buffer(offsets)},
          .children = {std::move(child)}};
}

template <class T>
std::vector<T> values_of(const Column& column, int64_t row, double fill = 0) {
  const Cell cell = column.at(row);
  std::vector<T> out(static_cast<size_t>(cell.desc.shape.volume()));
  column.write(cell, fill, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

TEST(Column, NumbersBeginAtTheOffsetOfASlice) {
  ArrowNode node = ArrowNode::numbers<int32_t>("i", {1, 2, 3, 4});
  node.offset = 1, node.length = 3;
  const Column column(arrow_column(std::move(node)));
  EXPECT_EQ(column.at(2).desc, (TensorDesc{DType::kInt32, {}, {}}));
  EXPECT_EQ(values_of<int32_t>(column, 2), std::vector<int32_t>{4});
  EXPECT_THROW(column.at(3), IndexError);
  EXPECT_THROW(column.at(-1), IndexError);
}

TEST(Column, ListsOfListsAreMatricesAndRaggedOnesAreRefused) {
  ArrowNode inner = lists({0, 2, 4, 6, 7}, ArrowNode::numbers<int16_t>("s", {1, 2, 3, 4, 5, 6, 7}));
  const Column column(arrow_column(lists({0, 2, 2, 4}, std::move(inner))));
  EXPECT_EQ(column.at(0).desc, (TensorDesc{DType::kInt16, {2, 2}, {}}));
  EXPECT_EQ(values_of<int16_t>(column, 0), (std::vector<int16_t>{1, 2, 3, 4}));
  EXPECT_EQ(column.at(1).desc.shape, (Shape{0, 0}));
  EXPECT_THROW(column.at(2), DataError);
}

TEST(Column, NullsAreFilledElementByElement) {
  ArrowNode numbers = ArrowNode::numbers<float>("f", {1, 2, 3, 4});
  numbers.buffers[0] = {std::byte{0b1101}}, numbers.null_count = 1;
  const Column column(arrow_column(lists({0, 3, 4}, std::move(numbers))));
  EXPECT_TRUE(column.has_nulls(column.at(0)));
  EXPECT_FALSE(column.has_nulls(column.at(1)));
  EXPECT_EQ(values_of<float>(column, 0, -5), (std::vector<float>{1, -5, 3}));
}

TEST(Column, TextsAreBytes) {
  const Column column(arrow_column(texts({0, 2, 2, 5}, "abcde")));
  EXPECT_EQ(Column::bytes_of(column.at(0)), "ab");
  EXPECT_EQ(Column::bytes_of(column.at(1)), "");
  EXPECT_EQ(Column::bytes_of(column.at(2)), "cde");
}

TEST(Column, OffsetsThatLeadOutOfTheColumnAreRefused) {
  for (const std::vector<int32_t>& offsets : {std::vector<int32_t>{0, 9, 5}, {0, -1, 5}, {3, 2, 5}}) {
    const Column bytes(arrow_column(texts(offsets, "abcde")));
    EXPECT_THROW(bytes.at(0), DataError);
    const Column numbers(arrow_column(lists(offsets, ArrowNode::numbers<uint8_t>("C", {1, 2, 3, 4, 5}))));
    EXPECT_THROW(numbers.at(0), DataError);
  }
  const Column beyond(arrow_column(lists({0, 4}, ArrowNode::numbers<uint8_t>("C", {1, 2, 3}))));
  EXPECT_THROW(beyond.at(0), DataError);
}

TEST(Column, TypesThatMakeNoTensorAreRefused) {
  const auto refused = [](ArrowNode node) { EXPECT_THROW(Column(arrow_column(std::move(node))), DataError); };
  for (const char* format : {"n", "d:10,2", "+m", "+us:0,1", "vu", "", "w:", "w:-1", "w:x", "+w:99999999999"}) {
    ArrowNode node = ArrowNode::numbers<int64_t>(format, {1, 2});
    refused(node);
  }
  refused(lists({0, 1}, texts({0, 1}, "a")));
  ArrowNode dictionary = ArrowNode::numbers<int32_t>("i", {0});
  dictionary.has_dictionary = true;
  refused(dictionary);
  ArrowNode no_values{.format = "i", .length = 3, .buffers = {{}, {}}};
  refused(no_values);
  ArrowNode few_buffers{.format = "z", .length = 1, .buffers = {{}, std::vector<std::byte>(8)}};
  refused(few_buffers);
  ArrowNode short_child{
      .format = "+w:3", .length = 2, .buffers = {{}}, .children = {ArrowNode::numbers<int32_t>("i", {1, 2, 3, 4, 5})}};
  refused(short_child);
  ArrowNode deep = ArrowNode::numbers<int32_t>("i", {1});
  for (int i = 0; i < 12; ++i) deep = lists({0, 1}, std::move(deep));
  refused(deep);
}

/// A table of numbers, of which loads are counted and fail where they should.
struct FakeTable : TableFile {
  std::string called = "folder/fake.parquet";
  std::vector<Group> all;
  std::atomic<int>* loads;
  std::atomic<int64_t>* bad;

  const std::string& name() const override { return called; }
  const std::vector<Group>& groups() const override { return all; }
  bool is_mapped() const override { return false; }
  std::vector<ArrowColumn> load(size_t group) const override {
    ++*loads;
    PENSTOCK_CHECK(*bad != static_cast<int64_t>(group), DataError, "the page is damaged");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    int64_t first = 0;
    for (size_t i = 0; i < group; ++i) first += all[i].rows;
    std::vector<int64_t> values(static_cast<size_t>(all[group].rows));
    for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<int64_t>(i);
    std::vector<ArrowColumn> columns;
    columns.push_back(arrow_column(ArrowNode::numbers("l", values)));
    return columns;
  }
};

class Tables : public testing::Test {
 protected:
  Tables() {
    set_table_opener([this](const TableRequest&) {
      auto fake = std::make_unique<FakeTable>();
      fake->all = groups, fake->loads = &loads, fake->bad = &bad;
      std::vector<std::unique_ptr<TableFile>> files;
      files.push_back(std::move(fake));
      return files;
    });
  }
  ~Tables() override { set_table_opener({}); }
  std::vector<TableFile::Group> groups = {{4, 100}, {0, 0}, {3, 100}, {5, 100}};
  std::atomic<int> loads = 0;
  std::atomic<int64_t> bad = -1;
};

TEST_F(Tables, RowsAreFoundInTheirGroups) {
  RunReader run(&register_parquet, {{"path", "x"}, {"columns", "n"}});
  EXPECT_EQ(run.reader().size(), 12);
  for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(run.read(i)[0].values<int64_t>(), std::vector<int64_t>{i});
  EXPECT_EQ(run.read(4).source, "folder/fake.parquet row group 2 row 0 column n");
  EXPECT_EQ(loads, 3);
}

TEST_F(Tables, GroupsAreLoadedOnceForAllThreadsAndLetGoWhenThereIsNoRoom) {
  const Table table({"parquet", {"x"}, {"n"}}, 250);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (size_t group : {0, 1}) table.group(group);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(loads, 2);
  const auto kept = table.group(1);
  table.group(0);
  table.group(2);  // takes the room of 1, which was asked for least recently
  EXPECT_EQ(loads, 3);
  table.group(0);
  EXPECT_EQ(loads, 3);
  table.group(1);
  EXPECT_EQ(loads, 4);
  EXPECT_EQ(kept->columns[0].rows(), 3);
}

TEST_F(Tables, AGroupThatCannotBeLoadedIsNamedAndTriedAgain) {
  const Table table({"parquet", {"x"}, {"n"}}, 1000);
  bad = 2;
  for (int i = 0; i < 2; ++i) {
    try {
      table.group(1);
      FAIL();
    } catch (const DataError& e) {
      EXPECT_EQ(e.context().source, "folder/fake.parquet row group 2");
    }
  }
  bad = -1;
  EXPECT_EQ(table.group(1)->columns[0].rows(), 3);
}

TEST_F(Tables, TheFingerprintTellsTheGroupsApart) {
  const uint64_t before = Table({"parquet", {"x"}, {"n"}}, 0).fingerprint();
  EXPECT_EQ(Table({"parquet", {"y"}, {"n"}}, 0).fingerprint(), before);
  std::swap(groups[0], groups[2]);
  EXPECT_NE(Table({"parquet", {"x"}, {"n"}}, 0).fingerprint(), before);
}

TEST_F(Tables, AProgramWithoutAnOpenerIsTold) {
  set_table_opener({});
  EXPECT_THROW(Table({"parquet", {"x"}, {"n"}}, 0), ArgumentError);
}

}  // namespace
}  // namespace penstock
