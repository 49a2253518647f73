#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { models } from './models.js'
import type { ServiceOptions } from './service-options.js'
import type { Service } from './start-service.js'
import { startService } from './start-service.js'

const usage = `capstan-service: the model inference service, on this machine

  npx -p @capstan/service -p @capstan/speech capstan-service [options]

  --port <number>   port to listen at (default 4100; 0 picks a free one)
  --host <address>  address to listen at (default 127.0.0.1)
  --key <key>       key that clients must send (default: a random one)
  --help            show this`

void main()

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return console.log(usage)
  if (options instanceof Error) return fail(`${options.message} Try --help.`, 2)
  // Whoever read the lines may be gone, as "| head" is; the service is for others.
  process.stdout.on('error', () => {})
  try {
    const service = await startService({ ...options, log: console.log })
    console.log(toBanner(service))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close())
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), error instanceof TypeError ? 2 : 1)
  }
}

function readOptions(args: string[]): ServiceOptions | 'help' | Error {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '4100' },
        host: { type: 'string' },
        key: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) return 'help'
    if (!/^\d+$/.test(values.port)) return new Error(`--port must be a number, not "${values.port}".`)
    return { port: Number(values.port), host: values.host, apiKey: values.key }
  } catch (error) {
    // Node adds advice about positional arguments; there are none here.
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/)
    return new Error(`${first}.`)
  }
}

function toBanner({ baseURL, apiKey }: Service): string {
  const entries = Object.entries(models)
  const width = Math.max(...entries.map(([name]) => name.length))
  const lines = entries.map(
    ([name, { engine, kind, limit }]) => `  ${name.padEnd(width)}  ${engine}; ${kind}: ${limit}`,
  )
  return [
    `Serving at ${baseURL}`,
    `export OPENAI_BASE_URL=${baseURL}`,
    `export OPENAI_API_KEY='${apiKey.replaceAll("'", `'\\''`)}'`,
    'Models:',
    ...lines,
  ].join('\n')
}

function fail(message: string, code: number): void {
  console.error(`capstan-service: ${message}`)
  process.exitCode = code
}
