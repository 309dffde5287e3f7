// What all hooks share: their input, their time limit, and one way out. A hook never fails a session: it exits with 0.

/** Milliseconds after which a hook gives up, whatever it waits for: with the start of Node.js below 2 s. */
export const BUDGET_MS = 1_500;
/** The longest limit that can be set; a timer of more than 2^31 - 1 ms would end at once. */
const MOST_MS = 60_000;
/** The time limit in a setting: that of a slow machine, up to a minute. Any other value sets none. */
export const budgetFrom = (setting) => {
  const asked = Number(setting);
  return asked > 0 && asked <= MOST_MS ? asked : BUDGET_MS;
};
/** The host ends a hook after 5 s all the same, unless it is told otherwise. */
const budgetMs = budgetFrom(process.env.OMNIMEM_HOOKS_MS);
/** Milliseconds for which the host's input is awaited; without it a hook works from the environment. */
const inputMs = budgetMs / 5;
const MOST_INPUT = 1_000_000;

/** The JSON object that the host sends, or `{}`. */
const readInput = () =>
  new Promise((resolve) => {
    let text = '';
    const done = () => {
      clearTimeout(timer);
      process.stdin.pause();
      resolve(objectIn(text));
    };
    const timer = setTimeout(done, inputMs);
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (chunk) => {
      text += chunk;
      if (text.length > MOST_INPUT) done();
    });
    process.stdin.on('end', done);
    process.stdin.on('error', done);
  });

const objectIn = (text) => {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
};

/**
 * Runs a hook: `work(input, signal)` answers the object to print, or undefined for nothing. When it fails or is late,
 * `otherwise(error)` answers in its place.
 */
export const runHook = async (work, otherwise) => {
  if (/^(off|0|false|no)$/i.test(process.env.OMNIMEM_HOOKS ?? '')) process.exit(0);
  const budget = new AbortController();
  const late = new Promise((_, reject) => {
    setTimeout(() => {
      const error = new Error('no answer in time');
      budget.abort(error);
      reject(error);
    }, budgetMs);
  });
  const answer = await Promise.race([readInput().then((input) => work(input, budget.signal)), late]).catch(otherwise);
  if (answer === undefined) process.exit(0);
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
};
