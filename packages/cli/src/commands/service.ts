import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { command } from '../args.js'
import { exits, interruption, UsageError } from '../exit-codes.js'
import { quoted } from '../format.js'

/** `capstan service` */
export const service = command({
  name: 'service',
  form: '',
  says: 'starts the local service, which answers with no key and no network',
  more: 'It goes on until Ctrl-C. The command capstan-service has more options.',
  words: { least: 0, most: 0 },
  flags: {
    port: { type: 'string', value: 'N', says: 'port to listen at (default 4100; 0 picks a free one)' },
    host: { type: 'string', value: 'ADDRESS', says: 'address to listen at (default 127.0.0.1)' },
    key: { type: 'string', value: 'KEY', says: 'key that clients must send (default: a random one)' },
    'no-key': { type: 'boolean', says: 'ask for none; only for this machine' },
  },
  async run({ flags: { port = '4100', host, key, 'no-key': none } }) {
    if (!/^\d+$/.test(port)) throw new UsageError(`--port is a number, not "${port}".`)
    if (none && key !== undefined) throw new UsageError('Give either --key or --no-key.')
    const { startService } = await loadService()
    const work = interruption()
    const options = { port: Number(port), host, apiKey: none ? false : key, log: console.error } as const
    const { baseURL, apiKey, close } = await startService(options).catch(toUsageError)
    process.stdout.write(
      [
        `Serving at ${baseURL}`,
        `export OPENAI_BASE_URL=${baseURL}`,
        `export OPENAI_API_KEY=${quoted(apiKey)}`,
        '',
      ].join('\n'),
    )
    await new Promise((resolve) => work.signal.addEventListener('abort', resolve, { once: true }))
    await close()
    return exits.done
  },
})

/** An option that the service refuses. */
function toUsageError(error: unknown): never {
  throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error
}

type ServiceModule = typeof import('@capstan/service')

/**
 * The local service: installed beside this command, or where the command is started.
 * @throws Error that says how to install it
 */
export async function loadService(ways = [beside, () => from(process.cwd())]): Promise<ServiceModule> {
  for (const way of ways) {
    const found = await way().catch(orAbsent)
    if (found) return found
  }
  throw new Error(
    'The local service is not installed. Install it: npm install --save-dev @capstan/service @capstan/speech',
  )
}

function beside(): Promise<ServiceModule> {
  return import('@capstan/service')
}

/** As files of a folder find it. */
export async function from(folder: string): Promise<ServiceModule> {
  const path = createRequire(join(folder, 'any.js')).resolve('@capstan/service')
  return import(pathToFileURL(path).href)
}

/** Nothing when it is not installed; what else went wrong is told. */
function orAbsent(error: unknown): undefined {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  if (!isAbsent || !String(message).includes('@capstan/service')) throw error
}
