// Worker threads do not inherit the loader of their parents: this one is for work on this repository, from source.
import { register } from 'tsx/esm/api'

// Tests have the packages built (scripts/load-bundles.mjs).
if (process.env.CAPSTAN_BUNDLES) await import('../../../scripts/load-bundles.mjs')
else register()
