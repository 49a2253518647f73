// Runs the script of all packages (bundle-packages.mjs) from its compiled code: most of the time in which a program
// starts, Node compiles.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { types } from 'node:util'
import { Script } from 'node:vm'

const file = new URL('../node_modules/.capstan/packages.cjs', import.meta.url)
const compiled = new URL('packages.compiled', file)
const requireHere = createRequire(file)
const outside = new Map()
let entries

/** Returns the names of an entry, given the modules outside of the script that it imports. */
export function load(entry, modules) {
  for (const [url, module] of Object.entries(modules)) outside.set(url, module)
  entries ??= run()
  return entries[entry]()
}

function run() {
  const cachedData = read(compiled)
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file.href,
    cachedData,
  })
  if (process.env.CAPSTAN_COMPILE) process.once('exit', () => keepCompiled(script))
  const module = { exports: {} }
  const require = (id) => outside.get(id) ?? requireHere(id)
  script.runInThisContext()(module, require, globalThis.__capstanImport ?? ((url) => import(url)), onceEach)
  return module.exports
}

function keepCompiled(script) {
  const written = new URL('packages.compiling', file)
  writeFileSync(written, script.createCachedData())
  renameSync(written, compiled)
}

function read(url) {
  try {
    return readFileSync(url)
  } catch {
    return undefined
  }
}

/** esbuild copies what is required into an object with its names: here that is done once, and modules have them. */
function onceEach(toESM) {
  const copies = new Map()
  return (module, isNode) => {
    if (types.isModuleNamespaceObject(module)) return module
    const known = copies.get(module)
    if (known) return known
    const copy = toESM(module, isNode)
    copies.set(module, copy)
    return copy
  }
}
