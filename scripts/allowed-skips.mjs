// The tests that may be skipped where `.ci/run` runs, and why. It fails when any other test is skipped.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** What the tests need that this machine cannot have. */
const noPackages = process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')
const restate = `../packages/durable/engines/node_modules/@restatedev/restate-server-${process.platform}-${process.arch}`
const noRestate = !existsSync(new URL(restate, import.meta.url))

/** Each: where the tests are, a pattern of their names, the reason, and when it holds (default: always). */
export const allowedSkips = [
  {
    file: 'examples/5-servers/hosts/hosts.test.ts',
    names: /a body beyond 100 kB is refused by Express|^Express that parses a body of 100 MB/,
    reason: 'Only Express that parses bodies refuses them by a limit of its own.',
  },
  {
    file: 'examples/3-control/evals/weather.eval.test.ts',
    names: /a real model|with a script scores/,
    reason: 'There is no key of a real model; the script must be right in each case, so it has no mean.',
  },
  {
    file: 'examples/5-servers/chat-page/chat-page.test.ts',
    names: /in Chromium/,
    reason: 'There is no Chromium, and none can be installed.',
    when: noPackages,
  },
  {
    file: 'packages/studio/test/browser/',
    names: /./,
    reason: 'There is no Chromium, and none can be installed.',
    when: noPackages,
  },
  {
    file: 'packages/durable/test/dbos/',
    names: /./,
    reason: 'There is no PostgreSQL, and none can be installed.',
    when: noPackages,
  },
  {
    file: 'packages/stores/test/',
    names: /PostgreSQL/,
    reason: 'There is no PostgreSQL, and none can be installed.',
    when: noPackages,
  },
  {
    file: 'packages/stores/test/sqlite.test.ts',
    names: /node:sqlite/,
    reason: 'This Node has no node:sqlite.',
    when: process.getBuiltinModule?.('node:sqlite') === undefined,
  },
  {
    file: 'examples/examples.test.ts',
    names: /^durable-/,
    reason: 'There is no PostgreSQL, and none can be installed.',
    when: noPackages,
  },
  {
    file: 'packages/durable/test/restate/',
    names: /./,
    reason: 'There is no Restate for this system.',
    when: noRestate,
  },
  {
    file: 'packages/durable/test/kills/',
    names: /on Restate/,
    reason: 'There is no Restate for this system.',
    when: noRestate,
  },
  {
    file: 'packages/service/test/clients/curl.test.ts',
    names: /./,
    reason: 'There is no curl.',
    when: spawnSync('curl', ['--version']).error !== undefined,
  },
]
