import { bundlePackages } from './bundle-packages.mjs'
import { compileBundles } from './compile-bundles.mjs'

let bundles

/** Bundles the packages once a run, whichever projects ask for it. */
export default async function setup({ provide, vitest }) {
  // Who watches changes sources in between; `.ci/long` runs everything from source.
  if (vitest.config.watch || process.env.CAPSTAN_LONG === '1') return
  bundles ??= bundlePackages().then(compileBundles)
  provide('bundles', await bundles)
}
