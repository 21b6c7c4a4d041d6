// What a person does with a page, and what comes of it: put before what one test does, in one script.
const hands = {
  told: {},
  names: () => [...document.querySelectorAll("#table tbody tr")]
    .filter((row) => row.getClientRects().length > 0)
    .map((row) => row.querySelector("a").hash.slice(8)).join(""),
  sorts: [...document.querySelectorAll("#table th button")],
  button: (text) => hands.sorts.find((one) => one.textContent === text),
  type: (text) => {
    const field = document.getElementById("search");
    field.value = text;
    field.dispatchEvent(new Event("input"));
  },
  isWithin: () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
  // Writes all that was told into the copy.
  tell: () => {
    hands.told.harmed = window.harmed === 1
      || document.querySelectorAll("script").length !== 2
      || document.querySelector("img, b") !== null
      || [...document.querySelectorAll("*")].some((one) => [...one.attributes].some((a) => /^on/.test(a.name)));
    const out = document.createElement("pre");
    out.id = "told";
    out.textContent = Object.entries(hands.told).map(([name, value]) => `${name}=${value}`).join("\n");
    document.body.append(out);
  },
};
