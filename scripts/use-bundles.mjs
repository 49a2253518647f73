// A setup file of tests: the programs that they start load the packages of this repository from bundles.
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const bundles = inject('bundles')
if (bundles) {
  process.env.CAPSTAN_BUNDLES = bundles
  process.env.NODE_OPTIONS = `--require=${fileURLToPath(new URL('./start-bundled.cjs', import.meta.url))}`
}
