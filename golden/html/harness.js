// Clicks and types as a person would, in a copy of a page of three plugins.
// In a block, as the page has names of its own.
{
  const { told, names, sorts, button, type } = hands;
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
  told.wide = hands.isWithin();
  type("");
  document.getElementById("close").click();
  const folds = [...document.querySelectorAll("details")];
  dispatchEvent(new Event("beforeprint"));
  told.printed = folds.every((one) => one.open);
  dispatchEvent(new Event("afterprint"));
  told.folded = folds.every((one) => !one.open);
  hands.tell();
}
