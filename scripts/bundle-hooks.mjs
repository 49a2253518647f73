import { readFile } from 'node:fs/promises'

const { modules, programs } = JSON.parse(await readFile(process.env.CAPSTAN_BUNDLES ?? '', 'utf8'))
const noLoader = new URL('./no-loader.mjs', import.meta.url).href

/** Takes what is built of a source, and tsx only for TypeScript that is not built. */
export async function resolve(specifier, context, next) {
  const resolved = await (needsTsx(context.parentURL) ? withTsx : next)(specifier, context, next)
  const url = isTsx(resolved.url) ? noLoader : (modules[resolved.url] ?? programs[resolved.url])
  if (url) return { ...resolved, url, format: 'module', shortCircuit: true }
  return needsTsx(resolved.url) ? withTsx(specifier, context, next) : resolved
}

/** Loads the agents of tests as they are. */
export async function load(url, context, next) {
  if (isPlain(url)) return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true }
  return needsTsx(url) ? (await tsx()).load(url, context, next) : next(url, context)
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
  return /\.[cm]?tsx?(\?.*)?$/.test(url) && !isPlain(url)
}

/** Agents that tests of the command write are JavaScript, whatever their name: starting tsx takes longer than they do. */
function isPlain(url) {
  return /\/cli\/test\/tmp-studio-[^/]*\/agent\.ts(\?|$)/.test(url)
}

function isTsx(url) {
  return /\/tsx\/dist\/(loader|esm\/api\/index)\.mjs$/.test(url)
}
