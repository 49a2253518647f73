import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isLong } from './scripts/cases.mjs'

// Tests run from source: the `development` condition of each package's exports points at src.
// What others cost is measured by a package that is installed by itself.
const packages = readdirSync(new URL('./packages', import.meta.url)).filter((name) => name !== 'bench')
/** Tests in a real browser take minutes: `npm test -- --project browser` runs them, as the gate does. */
const browser = ['packages/studio/test/browser', 'examples/5-servers/chat-page']
/** Tests of engines and databases that are installed by themselves: `npm run engines && npm test -- --project engines`. */
const engines = ['dbos', 'kills', 'restate']
  .map((name) => `packages/durable/test/${name}`)
  .concat('packages/stores/test/databases', 'packages/stores/test/kills')
const folders: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(packages.map((name) => [name, [`packages/${name}`]])),
  examples: ['examples'],
  repository: ['test'],
  browser,
  engines,
}

/** Those whose tests start programs from source. */
const startPrograms = [
  'browser',
  'cli',
  'code',
  'durable',
  'engines',
  'examples',
  'mcp',
  'media',
  'service',
  'stores',
  'studio',
]
/** OpenTelemetry keeps its state in globals, which other files change too: these files have a process each. */
const alone = 'telemetry'

/** The project of most tests when all run. It needs no database. */
const together = 'packages'
/**
 * Their tests fill WebAssembly memory. Node collects the whole heap once for each 64 MB of it, which is costly in a
 * process that has loaded every package.
 */
const webAssembly = ['code', 'speech']

/** A project is a name and the keys of `folders` whose tests it has. */
type Project = readonly [name: string, of: readonly string[]]

/** Whether all tests run: no argument names a project or a file. */
const isAll = process.argv.slice(2).every((one) => one === 'run' || /^--(?!project)/.test(one))

/** Starts first what waits longest: it must not be left alone at the end. The others run from the longest to the shortest. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = (one: TestSpecification) => one.moduleId.includes('/durable/test/dbos/fault-suite')
    return [...sorted.filter(waits), ...sorted.filter((one) => !waits(one))]
  }
}

/** Tests of core compute; many others wait for processes and servers. */
const isCore = /--project[ =]core\b/.test(process.argv.join(' '))

/**
 * A project for each key of `folders`, unless all tests run: then most share one, and the browser and the engines have none. The files of a
 * project share processes and a transformer: each package is translated and loaded once, not once for each folder.
 */
function projectsOf(names: readonly string[]): readonly Project[] {
  if (!isAll) return names.map((name) => [name, [name]])
  const apart = ['browser', 'engines', alone, ...webAssembly]
  return [
    [alone, [alone]],
    ['webassembly', webAssembly],
    [together, names.filter((name) => !apart.includes(name))],
  ]
}

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const startPostgres = 'packages/durable/test/start-postgres.ts'
/** What is started for the tests of a folder. */
const setups: Readonly<Record<string, string>> = {
  durable: startPostgres,
  engines: startPostgres,
  media: 'packages/service/test/start-once.ts',
  service: 'packages/service/test/start-once.ts',
  stores: startPostgres,
  tools: 'packages/service/test/start-once.ts',
  browser: 'packages/studio/test/browser/start-once.ts',
}

/**
 * Most code of a test runs once or twice: Node optimizes code only after twenty times its usual work, a fifth less in all,
 * and WebAssembly after fifty times, a seventh less in tests of speech.
 * A process of many tests has a heap of hundreds of megabytes, which is costly to collect: young values get more space.
 */
const nodeOptions = [
  ...['--interrupt-budget=1320000', '--wasm-tiering-budget=100000000'],
  ...['--max-semi-space-size=64', '--min-semi-space-size=32', '--initial-old-space-size=300'],
  ...['--no-memory-reducer', '--no-flush-bytecode'],
]

/**
 * Where translated modules are kept between test runs, by their content. They name the files that they import: what
 * packages export and which versions are installed is part of the name of the folder.
 */
function translatedModules(): string {
  const hash = createHash('sha256').update(process.version)
  for (const path of ['pnpm-lock.yaml', ...packages.map((name) => `packages/${name}/package.json`)])
    hash.update(readFileSync(file(path)))
  return file(`node_modules/.capstan-translated/${hash.digest('hex').slice(0, 16)}`)
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    experimental: { fsModuleCache: true, fsModuleCachePath: translatedModules() },
    // Two workers a core keep it busy while tests wait. Each loads the packages once more.
    maxWorkers: (isCore ? 1 : 2) * Math.max(2, availableParallelism()),
    projects: projectsOf(Object.keys(folders)).map(([name, of]) => ({
      extends: true as const,
      root: file('.'),
      resolve: { conditions: ['development', ...defaultClientConditions] },
      ssr: { resolve: { conditions: ['development', ...defaultServerConditions] } },
      test: {
        name,
        include: of.flatMap((one) => folders[one] ?? []).map((folder) => `${folder}/**/*.test.ts`),
        // CAPSTAN_LONG=1 (`.ci/long`) adds the slow tests, and all cases of the property tests.
        exclude: [
          '**/node_modules/**',
          '**/dist/**',
          ...(name === 'browser' ? [] : browser.map((folder) => `${folder}/**`)),
          ...(name === together ? engines.map((folder) => `${folder}/**`) : []),
          ...(isLong ? [] : ['**/*.slow.test.ts']),
        ],
        isolate: of.includes(alone),
        execArgv: nodeOptions,
        globalSetup: [
          ...(of.some((one) => startPrograms.includes(one)) ? [file('scripts/bundles-setup.mjs')] : []),
          ...[...new Set(of.flatMap((one) => setups[one] ?? []))]
            .filter((one) => name !== together || one !== startPostgres)
            .map(file),
        ],
        setupFiles: of.some((one) => startPrograms.includes(one)) ? [file('scripts/use-bundles.mjs')] : [],
        // Concurrent tests mostly wait.
        maxConcurrency: 20,
        // They end a test that hangs. No test measures time by them: the machine may be busy.
        expect: { poll: { timeout: 110_000 } },
        testTimeout: 120_000,
        hookTimeout: 120_000,
      },
    })),
  },
})
