// Clicks and types as a person would, in a copy of the page, and writes what came of it into the copy.
// In a block, as the page has names of its own.
{
  const told = {};
  const names = () => [...document.querySelectorAll("#table tbody tr")]
    .filter((row) => row.getClientRects().length > 0)
    .map((row) => row.querySelector("a").hash.slice(8)).join("");
  const button = (text) => [...document.querySelectorAll("#table th button")].find((one) => one.textContent === text);
  const sorts = [...document.querySelectorAll("#table th button")];
  told.enabled = sorts.length === 9 && sorts.every((one) => !one.disabled);
  told.before = names();
  button("arrives").click();
  told.most = names();
  told.aria = button("arrives").closest("th").getAttribute("aria-sort");
  button("arrives").click();
  told.least = names();
  button("plugin").click();
  told.byName = names();
  told.ariaOfOne = document.querySelectorAll("th:not([aria-sort=none])[aria-sort]").length === 1;
  for (const one of sorts) { one.click(); one.click(); }
  told.allStay = [...names()].sort().join("");
  const field = document.getElementById("search");
  const type = (text) => { field.value = text; field.dispatchEvent(new Event("input")); };
  type("CALM");
  told.calm = names();
  told.count = document.getElementById("found").textContent;
  told.sections = [...document.querySelectorAll("details.plugin")].filter((one) => !one.hidden).map((one) => one.id).join();
  type("<script>window.harmed");
  told.hostile = names();
  type("nothing has this");
  told.nothing = names();
  type("");
  told.cleared = [...names()].sort().join("");
  const second = document.getElementById("plugin-2");
  told.closed = !second.open;
  second.querySelector("summary").click();
  told.opened = second.open;
  document.querySelector('a[href="#plugin-1"]').click();
  told.linked = document.getElementById("plugin-1").open;
  document.querySelector("button.find").click();
  told.found = field.value !== "" && names() !== "";
  told.labelled = field.labels.length === 1;
  told.focus = document.activeElement === field;
  told.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  type("");
  document.getElementById("close").click();
  const folds = [...document.querySelectorAll("details")];
  dispatchEvent(new Event("beforeprint"));
  told.printed = folds.every((one) => one.open);
  dispatchEvent(new Event("afterprint"));
  told.folded = folds.every((one) => !one.open);
  told.harmed = window.harmed === 1
    || document.querySelectorAll("script").length !== 2
    || document.querySelector("img, b") !== null
    || [...document.querySelectorAll("*")].some((one) => [...one.attributes].some((a) => /^on/.test(a.name)));
  const out = document.createElement("pre");
  out.id = "told";
  out.textContent = Object.entries(told).map(([name, value]) => `${name}=${value}`).join("\n");
  document.body.append(out);
}
