/* What `configure` would find: a library without strlcpy. */
