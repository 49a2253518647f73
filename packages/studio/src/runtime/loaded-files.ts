import nodeModule from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MessageChannel } from 'node:worker_threads'

/**
 * Reports each file outside `node_modules` that Node imports from now on. Does not report files that another loader
 * reads.
 */
export function reportLoadedFiles(report: (files: readonly string[]) => void): void {
  const known = new Set<string>()
  const note = (url: string) => {
    const file = fileOf(url)
    if (file === undefined || known.has(file)) return
    known.add(file)
    report([file])
  }
  if (registerHooks) {
    registerHooks({
      resolve(specifier, context, next) {
        const resolved = next(specifier, context)
        note(resolved.url)
        return resolved
      },
    })
    return
  }
  const { port1, port2 } = new MessageChannel()
  port1.on('message', note)
  port1.unref()
  nodeModule.register(hooks, { data: port2, transferList: [port2] })
}

/** Undefined in Node 20, which does not have this function. A named import would fail there. */
const { registerHooks } = nodeModule as {
  readonly registerHooks?: (hooks: {
    resolve(specifier: string, context: unknown, next: Next): { readonly url: string }
  }) => void
}
type Next = (specifier: string, context: unknown) => { readonly url: string }

/** The source code of the hooks for Node 20, which run in a separate thread. */
const hooks = `data:text/javascript,${encodeURIComponent(`
let port
export function initialize(given) { port = given }
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context)
  port.postMessage(resolved.url)
  return resolved
}`)}`

/** Whether to watch a file for changes. Packages in `node_modules` are not watched. */
export function isWatched(file: string): boolean {
  return !file.includes(`${sep}node_modules${sep}`)
}

function fileOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  const file = fileURLToPath(url.replace(/[?#].*$/, ''))
  return isWatched(file) ? file : undefined
}
