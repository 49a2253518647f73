import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { isLong } from './scripts/cases.mjs'

// Tests run from source: the `development` condition of each package's exports points at src.
// What others cost is measured by a package that is installed by itself.
const packages = readdirSync(new URL('./packages', import.meta.url)).filter((name) => name !== 'bench')
const projects = [
  ...packages.map((name) => ({ name, root: `./packages/${name}` })),
  { name: 'examples', root: './examples' },
  { name: 'repository', root: './test' },
]

/** Projects whose tests start programs from source. */
const startPrograms = ['cli', 'durable', 'examples', 'mcp', 'media', 'service', 'studio']
const script = (name: string) => fileURLToPath(new URL(`./scripts/${name}`, import.meta.url))

export default defineConfig({
  test: {
    // Many tests wait for processes and servers: two workers a core keep it busy.
    maxWorkers: 2 * Math.max(2, availableParallelism()),
    projects: projects.map(({ name, root }) => ({
      extends: true as const,
      root,
      resolve: { conditions: ['development', ...defaultClientConditions] },
      ssr: { resolve: { conditions: ['development', ...defaultServerConditions] } },
      test: {
        name,
        include: ['**/*.test.ts'],
        // CAPSTAN_LONG=1 (`.ci/long`) adds the slow tests, and all cases of the property tests.
        exclude: ['**/node_modules/**', '**/dist/**', ...(isLong ? [] : ['**/*.slow.test.ts'])],
        // The files of a project share processes, so that its packages are loaded once, not once a file.
        // OpenTelemetry keeps its state in globals: those files have a process each.
        isolate: name === 'telemetry',
        globalSetup: [
          ...(startPrograms.includes(name) ? [script('bundles-setup.mjs')] : []),
          ...(name === 'studio' ? ['./test/browser/start-once.ts'] : []),
          ...(name === 'durable' ? ['./test/start-postgres.ts'] : []),
          ...(['media', 'service'].includes(name) ? [script('../packages/service/test/start-once.ts')] : []),
        ],
        setupFiles: startPrograms.includes(name) ? [script('use-bundles.mjs')] : [],
        // Examples are processes; other concurrent tests mostly wait.
        maxConcurrency: name === 'examples' ? 2 : 20,
        // They end a test that hangs. No test measures time by them: the machine may be busy.
        expect: { poll: { timeout: 110_000 } },
        testTimeout: 120_000,
        hookTimeout: 120_000,
      },
    })),
  },
})
