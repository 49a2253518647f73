import { readFile } from 'node:fs/promises'

const { modules, programs } = JSON.parse(process.env.CAPSTAN_BUNDLES ?? '{}')
/** With the variables of a running service in the environment, examples start none of their own. */
const sharedService = process.env.CAPSTAN_SHARED_SERVICE
const localService = new URL('../examples/local-service.ts', import.meta.url).href
const noLoader = new URL('./no-loader.mjs', import.meta.url).href

/** Takes the bundle of an entry in place of its source, and tsx only for TypeScript that is not built. */
export async function resolve(specifier, context, next) {
  const source = programs[context.parentURL] && sourceOf(specifier, context.parentURL)
  if (source) return { url: modules[source] ?? source, format: 'module', shortCircuit: true }
  // A program is JavaScript here, and may import source that is not built.
  const fromSource = needsTsx(context.parentURL) || (programs[context.parentURL] && specifier.startsWith('.'))
  const resolved = await (fromSource ? withTsx : next)(specifier, context, next)
  const url = isTsx(resolved.url) ? noLoader : modules[resolved.url]
  if (url) return { ...resolved, url, format: 'module', shortCircuit: true }
  return needsTsx(resolved.url) ? withTsx(specifier, context, next) : resolved
}

/** Takes the built text of a program. */
export async function load(url, context, next) {
  if (sharedService && url === localService)
    return { format: 'module', source: `Object.assign(process.env, ${sharedService})`, shortCircuit: true }
  if (programs[url] || isPlain(url))
    return { format: 'module', source: await readFile(new URL(programs[url] ?? url)), shortCircuit: true }
  return needsTsx(url) ? (await tsx()).load(url, context, next) : next(url, context)
}

/** Returns the URL of the program that another imports, as `./tools.js`. */
function sourceOf(specifier, parent) {
  if (!specifier.startsWith('.')) return undefined
  const { href } = new URL(specifier.replace(/\.js$/, '.ts'), parent)
  return programs[href] || modules[href] ? href : undefined
}

async function withTsx(specifier, context, next) {
  return (await tsx()).resolve(specifier, context, next)
}

let loading

function tsx() {
  loading ??= import('tsx/esm').then(async (hooks) => {
    await hooks.initialize({})
    return hooks
  })
  return loading
}

function needsTsx(url = '') {
  return /\.[cm]?tsx?(\?.*)?$/.test(url) && !programs[url] && !isPlain(url)
}

/** Agents that tests of the command write are JavaScript, whatever their name: starting tsx takes longer than they do. */
function isPlain(url) {
  return /\/cli\/test\/tmp-studio-[^/]*\/agent\.ts(\?|$)/.test(url)
}

function isTsx(url) {
  return /\/tsx\/dist\/(loader|esm\/api\/index)\.mjs$/.test(url)
}
