import ast
import json
import pathlib
import subprocess
import sys

import pytest


def arg(name, kind, **given):
    flags = dict.fromkeys(("per_sample", "required", "hidden", "ignored"), False)
    return {"name": name, "type": kind, "default": None, "doc": f"The {name}.", **flags, **given}


OPTIONAL = {"optional": False, "variadic": False}


def operator(name, **given):
    return {
        "name": name, "doc": f"Does {name}. Well.", "kind": "sample",
        "inputs": [{"name": "images", "layouts": ["HWC"], "doc": "Pictures.", "holds": ""} | OPTIONAL],
        "outputs": [{"name": "out", "doc": "Result."}], "outputs_vary": False, "outputs_by": "",
        "args": [], "aliases": [],
        "devices": ["cpu"], "random": False, "keep": False, "hidden": False, "tolerance": 0, "group": "image",
        "example": {}, "host_only": "", "differs": [],
    } | given  # fmt: skip


SCHEMAS = [
    operator(
        "resize",
        args=[
            arg("size", "list of float", per_sample=True),
            arg("interp_type", "DALIInterpType", default=1),
            arg("mode", "str", default="default"),
            arg("std", "list of float", default=[1.0]),
            arg("where", "int", per_sample=True),
        ],
        example={"size": [2.5], "interp_type": 0, "mode": "stretch", "where": {"node": "place"}},
        differs=["Ties go up.", "Never wraps."],
    ),
    operator(
        "decoders.image",
        group="decoders",
        aliases=["image_decoder"],
        args=[arg("output_type", "DALIImageType", default=0)],
    ),
    operator(
        "readers.file",
        group="readers",
        inputs=[],
        outputs=[{"name": "data", "doc": ""}, {"name": "labels", "doc": ""}],
        args=[arg("file_root", "str", required=True), arg("hint", "int", ignored=True)],
        random=True,
        example={"file_root": {"data": "pictures"}},
        host_only="reads files",
    ),
    operator("split", outputs_vary=True),
    operator("secret", hidden=True),
]


STUBS = "python/penstock/fn/"


@pytest.fixture
def files(tool):
    return tool("gen_api").outputs(SCHEMAS)


def test_stubs_are_modules_of_the_names_that_users_write(files):
    stubs = {name: text for name, text in files.items() if name.startswith(STUBS)}
    for text in stubs.values():
        ast.parse(text)
        assert "secret" not in text
    offered = ast.literal_eval(stubs[STUBS + "__init__.pyi"].partition("__all__ = ")[2])
    assert {"resize", "decoders", "image_decoder", "readers", "split", "external_source"} <= set(offered)
    assert "from penstock.fn.decoders import image as image_decoder\n" in stubs[STUBS + "__init__.pyi"]
    assert "from penstock.fn._image import resize as resize\n" in stubs[STUBS + "__init__.pyi"]
    assert stubs.keys() == {
        STUBS + f"{name}.pyi" for name in ("__init__", "_image", "decoders/__init__", "readers/__init__")
    }


def test_an_argument_may_have_the_name_of_an_input(tool):
    one = operator("lookup", args=[arg("images", "list of int", default=[])])
    text = tool("gen_api").outputs([one])[STUBS + "_image.pyi"]
    (function,) = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    names = [one.arg for one in function.args.posonlyargs + function.args.kwonlyargs]
    assert names[:2] == ["images_input", "images"]
    compile(text, "_image.pyi", "exec")  # where parse() lets pass what Python refuses


def test_stubs_say_defaults_types_and_number_of_outputs(files):
    resize, reader = files[STUBS + "_image.pyi"], files[STUBS + "readers/__init__.pyi"]
    assert "interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_LINEAR," in resize
    assert "size: _Floats | _Tensor | None = None," in resize
    assert "file_root: str," in reader
    assert ") -> list[_DataNode]:" in reader


def test_stubs_give_a_list_for_a_list_of_inputs(files):
    resize, reader = files[STUBS + "_image.pyi"], files[STUBS + "readers/__init__.pyi"]
    assert "@_takes_sets\ndef resize(" in resize
    assert "@_takes_sets" not in reader


def test_an_argument_that_names_the_outputs_makes_a_dict_of_nodes(tool):
    wanted = arg("wanted", "dict of str", default=[["a", "int64[]"]])
    schema = operator("by_name", outputs_vary=True, outputs_by="wanted", args=[wanted])
    files = tool("gen_api").outputs([schema])
    assert "wanted: _Mapping[str, object] = {'a': 'int64[]'}," in files["python/penstock/fn/_image.pyi"]
    assert "-> dict[str, _DataNode]:" in files["python/penstock/fn/_image.pyi"]
    assert "Constant<Dict> wanted" in files["include/penstock/fn/image/by_name.h"]


def test_every_public_operator_has_a_page_and_a_line_in_the_index(files):
    index = files["docs/reference/README.md"]
    pages = {"resize": "image/resize", "decoders.image": "decoders/image", "readers.file": "readers/file",
             "split": "image/split"}  # fmt: skip
    for schema in SCHEMAS[:-1]:
        page = f"{pages[schema['name']]}.md"
        assert f"[{schema['name']}]({page})" in index
        assert schema["doc"] in files[f"docs/reference/{page}"]
    assert index.index("## decoders") < index.index("decoders/image.md") < index.index("## image")
    assert "docs/reference/image/secret.md" not in files
    assert "Accepted and ignored" in files["docs/reference/readers/file.md"]


def test_an_operator_of_another_namespace_than_its_folder_has_a_name_of_its_own(tool):
    both = [operator(name, group="readers") for name in ("readers.video", "experimental.readers.video")]
    made = tool("gen_api").outputs(both)
    for name in ("video", "experimental.readers.video"):
        assert {f"docs/reference/readers/{name}.md", f"include/penstock/fn/readers/{name}.h"} <= made.keys()


def test_every_operator_has_a_header_and_every_group_one_that_includes_them(files):
    folder = "include/penstock/fn/"
    headers = {name.removeprefix(folder) for name in files if name.startswith(folder)}
    assert headers == {"decoders.h", "image.h", "readers.h", "decoders/image.h", "image/resize.h", "image/split.h",
                       "readers/file.h"}  # fmt: skip
    lines = files[folder + "image.h"].splitlines()
    assert [line for line in lines if line.startswith("#include")] == [
        "#include <penstock/fn/image/resize.h>", "#include <penstock/fn/image/split.h>"
    ]  # fmt: skip
    assert "#include <penstock/fn/readers.h>\n" in files["include/penstock/fn.h"]


def test_no_file_is_too_long_with_150_operators(tool):
    # As many arguments, and such, as the largest operators have: decoders.image and resize.
    args = [arg(f"argument_number_{i}", "list of float" if i % 3 else "int", per_sample=i % 3 == 1) for i in range(25)]
    sizes = {"image": 30, "tensor": 25, "effects": 20, "audio": 15, "color": 10, "math": 10, "segmentation": 10}
    many = [operator(f"{group}_{i}", group=group, args=args) for group, size in sizes.items() for i in range(size)]
    many += [operator(f"readers.kind_{i}", group="readers", args=args, aliases=[f"kind_{i}_reader"]) for i in range(30)]
    assert len(many) == 150
    lengths = {name: len(text.splitlines()) for name, text in tool("gen_api").outputs(many).items()}
    assert {name: length for name, length in lengths.items() if length > 600} == {}


def test_pages_show_an_example_that_is_python(files):
    resize, reader = (files[f"docs/reference/{name}.md"] for name in ("image/resize", "readers/file"))
    shown = "fn.resize(images, size=[2.5], interp_type=types.INTERP_NN, mode='stretch', where=fn.place())"
    code = resize.split("```")[1].removeprefix("python")
    assert "".join(shown.split()) in "".join(code.split())
    assert max(map(len, code.splitlines())) <= 88
    assert len(ast.parse(code).body) == 2
    assert 'fn.readers.file(file_root="/data")' in reader
    assert "for example" not in files["docs/reference/image/split.md"]


def test_what_differs_from_dali_is_on_the_page_and_in_one_list(files):
    assert "## Unlike DALI\n\n- Ties go up.\n- Never wraps.\n" in files["docs/reference/image/resize.md"]
    assert "- [`resize`](image/resize.md): Ties go up.\n" in files["docs/reference/differences.md"]
    assert "Unlike DALI" not in files["docs/reference/image/split.md"]


def test_pages_say_what_no_gpu_does(files):
    assert "For the host alone: reads files." in files["docs/reference/readers/file.md"]
    assert "For the host alone" not in files["docs/reference/image/resize.md"]


def test_cpp_calls_compile_and_build_the_graph_they_say(files, checkout, tmp_path):
    for name, text in files.items():
        if name.endswith(".h"):
            header = tmp_path / pathlib.PurePath(name).relative_to("include")
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(text)
    program = tmp_path / "main.cc"
    program.write_text(
        """
        #include <penstock/fn.h>
        #include <cstdio>
        using namespace penstock;
        static OpNode last;
        std::vector<Node> Graph::add(OpNode node) { last = node; return {{7, 0}, {7, 1}}; }
        int main() {
          Graph graph;
          auto [data, labels] = fn::readers::file(graph, {.file_root = "x", .common = {.name = "train"}});
          if (last.op != "readers.file" || last.name != "train" || labels.output != 1) return 1;
          Node image = fn::decoders::image(graph, data, {.output_type = ImageType::kGray});
          if (std::get<int64_t>(last.args.at("output_type")) != 2 || last.inputs != std::vector{data}) return 2;
          fn::resize(graph, image, {.size = {224, 224}, .std = {0.5}});
          if (std::get<fn::Floats>(last.args.at("size")) != fn::Floats{224, 224} || last.args.size() != 2) return 3;
          fn::resize(graph, image, {.mode = "stretch", .size = 256});
          if (std::get<fn::Floats>(last.args.at("size")) != fn::Floats{256}) return 6;
          fn::resize(graph, image, {.size = labels});
          if (last.arg_inputs.at("size") != labels || !last.args.empty()) return 4;
          return fn::split(graph, image).size() == 2 ? 0 : 5;
        }
        """
    )
    compiled = subprocess.run(
        ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", f"-I{tmp_path}",
         f"-I{checkout}/include", program, "-o", tmp_path / "main"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert compiled.returncode == 0, compiled.stderr
    assert subprocess.run([tmp_path / "main"]).returncode == 0


def test_the_tool_writes_where_it_is_told_and_removes_what_is_of_gone_operators(checkout, tmp_path):
    left = ("docs/reference/a.md", "docs/reference/a/b.md", "include/penstock/fn/a.h", "include/penstock/fn/a/b.h",
            STUBS + "a/__init__.pyi")  # fmt: skip
    gone = [tmp_path / name for name in left]
    for path in gone:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old")
    tool = checkout / "tools" / "gen_api.py"
    subprocess.run([sys.executable, tool, tmp_path], input=json.dumps(SCHEMAS), text=True, check=True)
    assert (tmp_path / STUBS / "__init__.pyi").exists()
    assert not any(path.exists() for path in gone)
    assert not (tmp_path / "docs/reference/a").exists()


def test_type_checkers_can_read_the_package(checkout):
    assert (checkout / "python/penstock/py.typed").exists()
    stubs = sorted((checkout / "python/penstock").rglob("*.pyi"))
    assert len(stubs) > 10
    for stub in stubs:
        compile(stub.read_text(), str(stub), "exec")  # two parameters of one name are refused here, not by ast.parse()
