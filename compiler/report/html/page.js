// Sorting, searching and opening. Everything is taken from what stands in the page, and nothing is written into it
// but the order and the visibility of what is there.
"use strict";

const table = document.getElementById("table");
const body = table.tBodies[0];
const headings = [...table.tHead.rows[0].cells];
const plugins = [...body.rows].map((row) => {
  const section = document.getElementById(row.querySelector("a").hash.slice(1));
  return { row, section, text: null };
});

// Sorting

const collator = new Intl.Collator("en", { numeric: true });

function key(row, column) {
  const cell = row.cells[column];
  return cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
}

function compare(a, b) {
  return typeof a === "number" ? a - b : collator.compare(a, b);
}

function sort(heading) {
  const first = heading.dataset.first;
  const other = first === "ascending" ? "descending" : "ascending";
  const order = heading.getAttribute("aria-sort") === first ? other : first;
  const sign = order === "ascending" ? 1 : -1;
  const column = headings.indexOf(heading);
  // Rows that are alike keep their order, so sorting by two columns in turn sorts by both.
  const keyed = [...body.rows].map((row) => ({ row, key: key(row, column) }));
  keyed.sort((a, b) => sign * compare(a.key, b.key));
  body.append(...keyed.map(({ row }) => row));
  for (const one of headings) {
    one.setAttribute("aria-sort", one === heading ? order : "none");
  }
}

for (const heading of headings) {
  const button = heading.querySelector("button");
  button.disabled = false;
  button.addEventListener("click", () => sort(heading));
}

// Searching

const field = document.getElementById("search");
const found = document.getElementById("found");

// The text of a plugin is put together when it is first looked for, as there may be thousands.
function text(plugin) {
  plugin.text ??= `${plugin.row.textContent} ${plugin.section.textContent}`.toLowerCase();
  return plugin.text;
}

// What is asked for: words, and phrases in quotes.
function asked() {
  const all = field.value.toLowerCase().matchAll(/"([^"]*)"?|[^\s"]+/g);
  return [...all].map(([word, phrase]) => phrase ?? word).filter((word) => word.trim() !== "");
}

function search() {
  const words = asked();
  let count = 0;
  for (const plugin of plugins) {
    const fits = words.every((word) => text(plugin).includes(word));
    plugin.row.hidden = !fits;
    plugin.section.hidden = !fits;
    count += fits ? 1 : 0;
  }
  found.textContent = words.length === 0 ? "" : `${count} of ${plugins.length}`;
}

field.addEventListener("input", search);
document.getElementById("controls").hidden = false;

for (const button of document.querySelectorAll("button.find")) {
  button.disabled = false;
  button.title = button.dataset.words === undefined ? "Search for this code" : "Search for these";
  button.addEventListener("click", () => {
    field.value = button.dataset.words ?? button.textContent;
    search();
    field.focus();
  });
}

// Opening

function show(section) {
  // A link leads to its plugin, even if that was searched away.
  if (section.hidden) {
    field.value = "";
    search();
  }
  section.open = true;
}

function openTarget() {
  const section = document.getElementById(location.hash.slice(1));
  if (section !== null && section.matches("details.plugin")) {
    show(section);
    section.scrollIntoView();
  }
}

// One that was closed again is opened again, though the address stays the same.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#plugin-"]');
  if (link !== null) {
    show(document.getElementById(link.hash.slice(1)));
  }
});
addEventListener("hashchange", openTarget);
openTarget();

function openAll(open) {
  for (const { section } of plugins) {
    section.open = open && !section.hidden;
  }
}

document.getElementById("open").addEventListener("click", () => openAll(true));
document.getElementById("close").addEventListener("click", () => openAll(false));
document.getElementById("folds").hidden = false;

// Paper cannot be opened: all that is not searched away is printed, and folded again behind it.

let unfolded = [];

addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")].filter((one) => !one.hidden);
  for (const one of unfolded) {
    one.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const one of unfolded) {
    one.open = false;
  }
  unfolded = [];
});
