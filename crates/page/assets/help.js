// The keys of the page, in a dialog.
import { h } from "./dom.js";
import { MENU } from "./menu.js";

const KEYS = [["Ctrl K, ⌘K or /", "find anything"], ["j, k", "next and previous row"], ["Enter", "open the row"], ["[ and ]", "one event back and forward in time"], ["l", "back to the present"], ["Esc", "close what is open"], ["?", "this list"]];

/** Opens the list of keys. */
export function openHelp() {
  const row = ([keys, text]) => h("tr", null, h("th", { scope: "row" }, h("kbd", null, keys)), h("td", null, text));
  const dialog = h("dialog", { class: "dialog", "aria-label": "Keyboard", on: { close: () => dialog.remove() } },
    h("h2", null, "Keyboard"), h("table", { class: "keys" }, h("tbody", null, KEYS.map(row), MENU.map(([, label, letter]) => row([`g ${letter}`, label])))),
    h("p", { class: "muted small" }, "Everything on this page is read from the log by the same operations as the command line has. The bar below is time: drag it, and the whole page is that past."),
    h("form", { method: "dialog", class: "dialog-actions" }, h("button", { class: "primary" }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
