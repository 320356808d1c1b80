// Where the reader is: view, arguments, moment and space, all in the address, so that every place can be linked.

/** Reads the address. */
export function place() {
  const [path, query = ""] = decodeHash().split("?");
  const params = new URLSearchParams(query);
  const at = params.get("at");
  const space = params.get("space");
  params.delete("at");
  params.delete("space");
  return { view: path.replace(/^\//, "") || "now", params, at, space };
}

const decodeHash = () => location.hash.replace(/^#/, "");

/** The address of a view. The moment and the space stay as they are, unless they are given. */
export function to(view, args = {}) {
  const here = place();
  const params = new URLSearchParams();
  const all = { space: here.space, at: here.at, ...args };
  for (const [key, value] of Object.entries(all)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) params.set(key, String(value));
  }
  const query = params.toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/** The address of the same view with some arguments changed. */
export function here(changes) {
  const { view, params } = place();
  return to(view, { ...Object.fromEntries(params), ...changes });
}

/** Goes to an address and shows it. */
export function go(address, { replace = false } = {}) {
  if (address === location.hash) return;
  if (replace) {
    history.replaceState(null, "", address);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = address;
}

/** Writes down where the reader is without showing it again. */
export function note(changes) {
  history.replaceState(null, "", here(changes));
}
