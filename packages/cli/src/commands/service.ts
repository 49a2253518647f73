import { loadService } from '../file/load-service.js'
import { command } from '../line/command.js'
import { exits } from '../line/exits.js'
import { UsageError } from '../line/usage-error.js'
import { interruption } from '../run/interruption.js'
import { quoted } from '../say/quoted.js'

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
