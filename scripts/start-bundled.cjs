// Runs a program from its bundle (bundle-packages.mjs) in a process or a thread. `--require` this file, with the bundles
// listed in the file CAPSTAN_BUNDLES. Hooks that load modules take a thread, and as long to start as Node itself: only a
// program that needs more than what is built gets them.
const { readFileSync } = require('node:fs')
const Module = require('node:module')
const { pathToFileURL } = require('node:url')

if (process.env.CAPSTAN_BUNDLES) start(JSON.parse(readFileSync(process.env.CAPSTAN_BUNDLES, 'utf8')))

function start({ modules, plain }) {
  const here = pathToFileURL(__filename)
  const isTsx = process.execArgv.some((argument) => /^--import=.*\btsx\b/.test(argument))
  let hasHooks = false
  const addHooks = () => {
    if (!hasHooks) Module.register('./bundle-hooks.mjs', here)
    hasHooks = true
  }

  Object.defineProperty(globalThis, '__capstanImport', {
    value: (url) => {
      const built = modules[url] ?? plain[url]
      if (!built && url.startsWith('file:') && !url.includes('/node_modules/')) addHooks()
      return import(built ?? url)
    },
  })

  // Node then imports nothing that its options name: tsx would add hooks of its own.
  const runMain = Module.runMain
  Module.runMain = (main = process.argv[1]) => {
    const url = pathToFileURL(main).href
    const built = modules[url] ?? plain[url]
    if (isTsx) process.setSourceMapsEnabled(true)
    if (built) return void import(built)
    addHooks()
    runMain(main)
  }
  // Without a file Node runs none.
  if (process.argv[1] === undefined || process.execArgv.some((one) => /^(-e|-p|--eval|--print)\b/.test(one)))
    addHooks()
}
