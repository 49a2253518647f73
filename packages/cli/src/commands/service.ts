import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { command } from '../args.js'
import { exitCodes, listenForInterrupt, UsageError } from '../exit-codes.js'
import { shellQuote } from '../format.js'

/** The command `capstan service`. */
export const service = command({
  name: 'service',
  usage: '',
  summary: 'starts the local service, which needs no key and no network',
  details: 'It runs until Ctrl-C. The command capstan-service has more options.',
  positionals: { least: 0, most: 0 },
  flags: {
    port: {
      type: 'string',
      valueName: 'N',
      description: 'port to listen on (default 4100; 0 picks a free one)',
    },
    host: { type: 'string', valueName: 'ADDRESS', description: 'address to listen on (default 127.0.0.1)' },
    key: {
      type: 'string',
      valueName: 'KEY',
      description: 'key that clients must send (default: a random one)',
    },
    'no-key': { type: 'boolean', description: 'accept requests without a key; on a loopback address only' },
  },
  async run({ flags: { port = '4100', host, key, 'no-key': none } }) {
    if (!/^\d+$/.test(port)) throw new UsageError(`--port must be a number, not "${port}".`)
    if (none && key !== undefined)
      throw new UsageError('--key and --no-key exclude each other. Give one of them.')
    const { startService } = await loadService()
    const work = listenForInterrupt()
    const options = {
      port: Number(port),
      host,
      apiKey: none ? false : key,
      journal: 0,
      log: console.error,
    } as const
    const { baseURL, apiKey, close } = await startService(options).catch(toUsageError)
    process.stdout.write(
      [
        `Serving at ${baseURL}`,
        `export OPENAI_BASE_URL=${baseURL}`,
        `export OPENAI_API_KEY=${shellQuote(apiKey)}`,
        '',
      ].join('\n'),
    )
    await new Promise((resolve) => work.signal.addEventListener('abort', resolve, { once: true }))
    await close()
    return exitCodes.done
  },
})

/** Turns an option that the service rejects into a usage error. */
function toUsageError(error: unknown): never {
  throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error
}

type ServiceModule = typeof import('@capstan/service')

/**
 * Loads the local service, installed beside this command or in the current folder.
 * @throws Error that says how to install it
 */
export async function loadService(
  ways = [importInstalled, () => importFrom(process.cwd())],
): Promise<ServiceModule> {
  for (const way of ways) {
    const found = await way().catch(ignoreMissing)
    if (found) return found
  }
  throw new Error(
    'The local service is not installed. Install it: npm install --save-dev @capstan/service @capstan/speech',
  )
}

function importInstalled(): Promise<ServiceModule> {
  return import('@capstan/service')
}

/** Imports the service as a file in `folder` would. */
export async function importFrom(folder: string): Promise<ServiceModule> {
  const path = createRequire(join(folder, 'any.js')).resolve('@capstan/service')
  return import(pathToFileURL(path).href)
}

/** Returns undefined if the service is not installed; rethrows other errors. */
function ignoreMissing(error: unknown): undefined {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  if (!isAbsent || !String(message).includes('@capstan/service')) throw error
}
