// Loads the packages of this repository from their bundles (bundle-packages.mjs) in a program that runs from source,
// and the program itself as translated. `--import` this file, with the bundles in CAPSTAN_BUNDLES.
import { register } from 'node:module'

if (process.env.CAPSTAN_BUNDLES) register('./bundle-hooks.mjs', import.meta.url)
