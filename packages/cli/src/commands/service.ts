import { command } from '../args.js'
import { exitCodes, listenForInterrupt, UsageError } from '../exit-codes.js'
import { shellQuote } from '../format.js'
import { importPackage, loadOptional } from '../optional-package.js'

/** `capstan service`: starts the local model service. */
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
    host: { type: 'string', valueName: 'ADDRESS', description: 'host to listen on (default 127.0.0.1)' },
    key: {
      type: 'string',
      valueName: 'KEY',
      description: 'key that clients must send (default: a random one)',
    },
    'no-key': { type: 'boolean', description: 'accept requests without a key; on a loopback address only' },
  },
  async run({ flags: { port = '4100', host, key, 'no-key': none } }) {
    if (!/^\d+$/.test(port)) throw new UsageError(`--port must be a number, not "${port}".`)
    if (none && key !== undefined) throw new UsageError('Use --key or --no-key, not both.')
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

/** Rethrows an error from the service. A `TypeError` becomes a usage error, because it reports an invalid option. */
function toUsageError(error: unknown): never {
  throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error
}

type ServiceModule = typeof import('@capstan/service')

/**
 * Loads the local service, installed next to this command or in the current folder.
 * @throws Error with the install command if the service is not installed
 */
export async function loadService(
  ways = [(): Promise<ServiceModule> => import('@capstan/service'), () => importFrom(process.cwd())],
): Promise<ServiceModule> {
  const advice = 'Install it: npm install --save-dev @capstan/service @capstan/speech'
  return loadOptional('@capstan/service', ways, `The local service is not installed. ${advice}`)
}

/** Imports the service as a file in `folder` would. */
export function importFrom(folder: string): Promise<ServiceModule> {
  return importPackage('@capstan/service', folder)
}
