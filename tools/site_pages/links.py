"""Links of guides, as they hold in the site."""

import pathlib
import re

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s:]*)(#[^)\s]*)?\)")
MOVED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changes.md",
    "SECURITY.md": "security.md",
    "bench/README.md": "bench.md",
}
MADE = {"include/penstock": "cpp_api/index.md"}  # what is a page in the site and none in the checkout


def adapted(text, path, root):
    """The text of `path`, a file of the checkout `root`, for the site: links to files that are not in the site, such
    as sources, become code; those to files that the site has under another name lead there.
    """
    docs = root / "docs"
    here = path.parent if path.is_relative_to(docs) else docs  # files from elsewhere lie at the site's top

    def replaced(match):
        words, file, anchor = match[1], match[2], match[3] or ""
        if not file:
            return match[0]
        target = (path.parent / file).resolve()
        if not target.is_relative_to(root):
            return match[0]
        name = target.relative_to(root).as_posix()
        if moved := MOVED.get(name) or MADE.get(name):
            place = docs / moved
        elif target.is_relative_to(docs) and target.is_file():
            place = target
        else:
            return f"{words} (`{name}`)" if "`" not in words else words
        up = pathlib.PurePosixPath(*[".."] * len(here.relative_to(docs).parts))
        return f"[{words}]({up / place.relative_to(docs).as_posix()}{anchor})"

    return LINK.sub(replaced, text)
