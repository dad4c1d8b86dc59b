"""Settings of Sphinx for the site that tools/build_site.py builds."""

import warnings

project = "Penstock"
author = "the authors of Penstock"
copyright = "the authors of Penstock, Apache License 2.0"
extensions = ["myst_nb", "breathe"]
exclude_patterns = ["conf.py"]
root_doc = "index"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # pages of docstrings begin at any level
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks keep their outputs; tests run them
nb_merge_streams = True
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_title = "Penstock"
html_copy_source = False
html_show_sourcelink = False
highlight_language = "text"
nitpicky = True
# The C++ API: what Doxygen found is beside the pages' sources (tools/build_site.py).
breathe_projects = {"penstock": "../doxygen/xml"}
breathe_default_project = "penstock"
breathe_domain_by_extension = {"h": "cpp"}
nitpick_ignore_regex = [
    ("cpp:identifier", r"penstock(::fn(::[a-z_]+)*|::parallel)?"),  # namespaces have no entries of their own
    ("cpp:identifier", r"size_t|u?int\d+_t|torch(::\w+)*"),  # of other libraries; Sphinx knows std
    ("cpp:identifier", r"detail(::.*)?|Lane|DTypeOf<T>::value"),  # what the pages leave out
]
warnings.filterwarnings("ignore", category=DeprecationWarning)
