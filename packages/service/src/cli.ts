#!/usr/bin/env node
import { readOptions, usage } from './cli-options.js'
import { enginesWith, kindOfModel, usualNames } from './endpoints/models.js'
import type { ServiceOptions } from './service-options.js'
import { type Service, startService } from './start-service.js'

void main()

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return console.log(usage)
  if (options instanceof Error) return fail(`${options.message} Try --help.`, 2)
  // The program that reads the output may have exited, as with "| head". The service continues for its clients.
  process.stdout.on('error', () => {})
  try {
    const service = await startService({ ...options, journal: 0, log: console.log })
    console.log(renderBanner(service, options))
    endBySignals(service)
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), error instanceof TypeError ? 2 : 1)
  }
}

// The first signal lets open responses finish. The second one stops the service immediately.
function endBySignals(service: Service): void {
  let ending = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(1)
      ending = true
      void service.close().then(() => process.exit(0))
    })
  }
}

function renderBanner({ baseURL, apiKey }: Service, { models = 'any', ...own }: ServiceOptions): string {
  const engines = enginesWith(own)
  const names = models === 'any' ? usualNames : models
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => {
    const { name: engine, kind, limit } = engines[kindOfModel(name) ?? 'chat']
    return `  ${name.padEnd(width)}  ${engine}; ${kind}: ${limit}`
  })
  if (models === 'any') lines.push('  Any other name works too: the engine of the endpoint replies.')
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
