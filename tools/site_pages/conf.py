"""Settings of Sphinx for the site that tools/build_site.py builds."""

import warnings

project = "Penstock"
author = "the authors of Penstock"
copyright = "the authors of Penstock, Apache License 2.0"
extensions = ["myst_nb"]
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
warnings.filterwarnings("ignore", category=DeprecationWarning)
