// The views there are.

/** What stands in the menu: address, name, letter that goes there after `g`. */
export const MENU = [
  ["now", "Now", "n"], ["told", "What it is told", "w"], ["sessions", "Sessions", "s"], ["search", "Search", "/"], ["facts", "Facts", "f"], ["rules", "Rules", "r"],
  ["notes", "Notes", "o"], ["graph", "Graph", "g"], ["failures", "Failures", "x"], ["personas", "Personas", "p"], ["compare", "Compare", "c"], ["trust", "Trust", "t"],
];
