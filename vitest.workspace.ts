import { readdirSync } from 'node:fs'
import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

// Tests run from source: the `development` condition of each package's exports points at src.
// What others cost is measured by a package that is installed by itself.
const packages = readdirSync(new URL('./packages', import.meta.url)).filter((name) => name !== 'bench')
const projects = [
  ...packages.map((name) => ({ name, root: `./packages/${name}` })),
  { name: 'examples', root: './examples' },
  { name: 'repository', root: './test' },
]

export default defineConfig({
  test: {
    projects: projects.map(({ name, root }) => ({
      extends: true as const,
      root,
      resolve: { conditions: ['development', ...defaultClientConditions] },
      ssr: { resolve: { conditions: ['development', ...defaultServerConditions] } },
      test: {
        name,
        include: ['**/*.test.ts'],
        exclude: ['**/node_modules/**', '**/dist/**'],
        // They end a test that hangs. No test measures time by them: the machine may be busy.
        testTimeout: 120_000,
        hookTimeout: 120_000,
      },
    })),
  },
})
