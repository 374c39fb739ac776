// The pages of the service in a headless Chromium: what a newcomer sees, on a desktop and a phone, with the keyboard
// alone, below a path of a proxy, and a call in the explorer with a token that was fetched on the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";

import { chromium } from "playwright-core";

const { OBEYA_URL, OBEYA_CLIENT_ID, OBEYA_CLIENT_SECRET, OBEYA_TEST_CHROMIUM, OBEYA_TEST_PICTURES } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

// Of Swagger UI itself: grey text on grey, and the choice of a server, which has no name.
const KNOWN_OF_THE_EXPLORER = ["color-contrast", "select-name"];

const candidates = [OBEYA_TEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = candidates.find((path) => path && existsSync(path));
assert.ok(executablePath, "no Chromium found: install the package chromium, or name the program in OBEYA_TEST_CHROMIUM");

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** Opens a page. Whatever it logs as an error, and each request to another host, is a fault. */
async function open(url, viewport, { bypassCSP = false } = {}) {
  const context = await browser.newContext({ viewport, bypassCSP });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && origin !== new URL(url).origin) faults.push(`request to ${request.url()}`);
  });
  await page.goto(url, { waitUntil: "networkidle" });
  return { page, faults, context };
}

/** Takes a picture where a folder for them is named. */
async function picture(page, name) {
  if (OBEYA_TEST_PICTURES) await page.screenshot({ path: `${OBEYA_TEST_PICTURES}/${name}.png`, fullPage: true });
}

/** The findings of axe-core that it calls serious or critical: a rule each, and the elements that break it. */
async function seriousFindings(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 120))]);
}

for (const [name, viewport] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  const { page, faults, context } = await open(`${OBEYA_URL}/`, viewport);
  assert.equal(await page.locator("h1").innerText(), "Obeya");
  assert.equal(await page.locator("dd.ready").innerText(), "ready");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than the screen`);
  assert.deepEqual(faults, []);
  await picture(page, `front-${name}`);
  await context.close();
}
console.log("ok page");

// The policy of the pages would not let axe in.
for (const [path, known] of [["/", []], ["/docs", KNOWN_OF_THE_EXPLORER]]) {
  const { page, context } = await open(OBEYA_URL + path, DESKTOP, { bypassCSP: true });
  const found = await seriousFindings(page);
  assert.deepEqual(found.map(([rule]) => rule), known, JSON.stringify(found));
  await context.close();
}
console.log("ok accessible");

{
  const { page, context } = await open(`${OBEYA_URL}/`, DESKTOP);
  const commands = await page.locator("pre").innerText();
  const script = commands.replace("=ID ", `=${OBEYA_CLIENT_ID} `).replace("=SECRET ", `=${OBEYA_CLIENT_SECRET} `);
  const answer = JSON.parse(execFileSync("sh", ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  assert.deepEqual(answer.value.map(({ id }) => id), [1204, 1205]);
  await context.close();
}
console.log("ok commands");

{
  const { page, faults, context } = await open(`${OBEYA_URL}/`, DESKTOP);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Explorer");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${OBEYA_URL}/docs`);
  await page.locator("#operations-tag-Incidents, .opblock-tag").first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
}
console.log("ok keyboard");

{
  const { page, faults, context } = await open(`${OBEYA_URL}/docs`, PHONE);
  await page.locator(".opblock-tag").first().waitFor();
  assert.deepEqual(faults, []);
  await picture(page, "explorer-phone");
  await context.close();
}
console.log("ok phone");

for (const [name, viewport] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  const { page, faults, context } = await open(`${OBEYA_URL}/`, viewport);
  await page.getByRole("link", { name: "Guide" }).click();
  await page.waitForURL(`${OBEYA_URL}/guide/`);
  await page.locator("main h1", { hasText: "Obeya" }).waitFor();
  await page.locator("#mdbook-search-toggle").click();
  // Typed, as the search follows keys.
  await page.locator("#mdbook-searchbar").pressSequentially("trash");
  await page.locator("#mdbook-searchresults a", { hasText: "Lean management" }).first().click();
  await page.locator("main h1", { hasText: "Lean management" }).waitFor();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than the screen`);
  await picture(page, `guide-${name}`);
  await page.goto(`${OBEYA_URL}/guide/reference/incidents.html`, { waitUntil: "networkidle" });
  await page.locator("h2#listIncidentsV2").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
}
console.log("ok guide");

{
  const proxy = http.createServer((request, response) => {
    if (!request.url.startsWith("/plant/")) return response.writeHead(404).end();
    const { method, headers } = request;
    const target = http.request(OBEYA_URL + request.url.slice("/plant".length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(target);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${proxy.address().port}/plant`;
  const { page, faults, context } = await open(`${url}/`, DESKTOP);
  await page.getByRole("link", { name: "Explorer" }).click();
  await page.waitForURL(`${url}/docs`);
  await page.locator(".opblock-tag").first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
  proxy.closeAllConnections();
  proxy.close();
}
console.log("ok proxy");

const { page, faults, context } = await open(`${OBEYA_URL}/docs`, DESKTOP);
const requests = [];
page.on("request", (request) => requests.push(request));
await page.locator(".opblock-tag").first().waitFor();
await page.locator("button.authorize").first().click();
const dialog = page.locator(".modal-ux");
await dialog.locator("#client_id_clientCredentials, input#client_id").first().fill(OBEYA_CLIENT_ID);
await dialog.locator("#client_secret_clientCredentials, input#client_secret").first().fill(OBEYA_CLIENT_SECRET);
await picture(page, "explorer-authorize");
await dialog.locator("button.authorize").first().click();
await dialog.getByText("Logout").first().waitFor();
await dialog.locator("button.btn-done").first().click();
console.log("ok token");

const operation = page.locator(".opblock", { has: page.locator('[data-path="/v2/incidents"]') }).first();
if (!(await operation.isVisible())) {
  await page.locator('.opblock-tag[data-tag="Incidents"]').click();
}
await operation.locator(".opblock-summary-control").click();
await operation.locator("button.execute").click();
const response = operation.locator(".live-responses-table .response").first();
await response.waitFor();
assert.equal((await response.locator(".response-col_status").innerText()).trim().slice(0, 3), "200");
const body = await response.locator(".highlight-code").innerText();
assert.match(body, /"id": 1205/);
assert.deepEqual(faults, []);

const sent = await Promise.all(requests.map(async (request) => ({
  url: request.url(),
  text: request.url() + JSON.stringify(await request.allHeaders()) + (request.postData() ?? ""),
})));
const basic = btoa(`${OBEYA_CLIENT_ID}:${OBEYA_CLIENT_SECRET}`);
const withSecret = sent.filter(({ text }) => text.includes(OBEYA_CLIENT_SECRET) || text.includes(basic));
assert.deepEqual(withSecret.map(({ url }) => url), [`${OBEYA_URL}/connect/token`]);
const { cookies, origins } = await context.storageState();
assert.deepEqual({ cookies, origins }, { cookies: [], origins: [] });
assert.equal(await page.evaluate(() => sessionStorage.length), 0);
await picture(page, "explorer-answer");
await context.close();
console.log("ok call");

await browser.close();
