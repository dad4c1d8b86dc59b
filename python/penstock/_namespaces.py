"""Modules below `fn` and `ops` (`fn.readers`, `ops.readers`), filled on demand: making all operators takes long."""

import difflib
import sys
import types


class Tree:
    """Names with dots as modules within modules. `make(name, module)` makes what `name` stands for, once."""

    def __init__(self, root, names, make):
        self._root = root
        self._names = names
        self._make = make
        self._add_modules("")

    def _add_modules(self, prefix):
        for name, nested in self.members(prefix).items():
            if nested:
                module = _Namespace(self, f"{prefix}{name}.")
                sys.modules[module.__name__] = module
                self._add_modules(f"{prefix}{name}.")

    def module_name(self, prefix):
        """The module of the names that begin with `prefix`, which is empty or ends with a dot."""
        return f"{self._root}.{prefix}"[:-1]

    def members(self, prefix):
        """Names one level below `prefix` -> whether they are modules themselves."""
        members = {}
        for name in self._names:
            if name.startswith(prefix):
                head, dot, _ = name[len(prefix) :].partition(".")
                members[head] = members.get(head, False) or bool(dot)
        return members

    def find(self, prefix, name):
        """What the module of `prefix` has under `name`. `AttributeError` offers the nearest."""
        members, module = self.members(prefix), self.module_name(prefix)
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in members:
            near = difflib.get_close_matches(name, members, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise AttributeError(
                f"module '{module}' has no attribute '{name}': there is no operator `{prefix}{name}`{hint}"
            )
        value = sys.modules[f"{module}.{name}"] if members[name] else self._make(prefix + name, module)
        setattr(sys.modules[module], name, value)
        return value

    def of_root(self):
        """`__getattr__` and `__dir__` of the root, which is a module with a file of its own."""
        return lambda name: self.find("", name), lambda: sorted(self.members(""))


class _Namespace(types.ModuleType):
    def __init__(self, tree, prefix):
        super().__init__(tree.module_name(prefix), f"Operators `{prefix}*`.")
        self.__path__ = []
        self._tree = tree
        self._prefix = prefix

    def __getattr__(self, name):
        return self._tree.find(self._prefix, name)

    def __dir__(self):
        return sorted(self._tree.members(self._prefix))
