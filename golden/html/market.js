// Clicks and types as a person would, in a copy of the page of a marketplace.
{
  const { told, names, sorts, button, type } = hands;
  const field = document.getElementById("search");
  told.columns = sorts.length;
  told.before = names();
  button("as it stands").click();
  told.leftFirst = names();
  button("as it stands").click();
  told.installedFirst = names();
  button("plugin").click();
  type('"as it stands: no"');
  told.no = [...names()].sort().join("");
  type('"As it stands: yes" calm');
  told.yes = names();
  type('"as it stands: y');
  told.unclosed = names();
  type("");
  document.querySelector(".card button.find").click();
  told.card = `${field.value} ${[...names()].sort().join("")} ${document.activeElement === field}`;

  // A link from a table or a list leads to its plugin, even where that was searched away or closed again.
  const follow = (link) => {
    const section = document.getElementById(link.hash.slice(1));
    section.open = false;
    type("nothing has this");
    link.click();
    return section.open && !section.hidden && location.hash === link.hash && field.value === "";
  };
  told.claimed = [...document.querySelectorAll(".claimed a")].filter(follow).length;
  const insecure = [...document.querySelectorAll('[aria-labelledby="score"] .names a')];
  told.insecure = insecure.filter(follow).map((link) => link.hash).join();
  const again = document.querySelector(".claimed a");
  told.again = follow(again) && follow(again);
  again.focus();
  told.keyboard = document.activeElement === again;

  for (const one of document.querySelectorAll("details")) {
    one.open = true;
  }
  told.narrow = innerWidth <= 500;
  told.within = hands.isWithin();
  hands.tell();
}
