#!/usr/bin/env node
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { createProject, templates, UsageError } from './create-project.js'

const usage = `npm create capstan [FOLDER] [-- --template NAME]

Writes a project with an agent, a test and a README into a new folder (my-agent if none is named).

${Object.entries(templates)
  .map(([name, about]) => `  ${name.padEnd(8)} ${about}`)
  .join('\n')}

The template is tools if none is named.
`

main(process.argv.slice(2))

function main(args: readonly string[]): void {
  try {
    const { values, positionals } = parse(args)
    if (values.help) {
      process.stdout.write(usage)
      return
    }
    if (positionals.length > 1) throw new UsageError(`Two folders: ${positionals.join(', ')}. Name one.`)
    const { folder, template } = createProject(positionals[0] ?? 'my-agent', values.template ?? 'tools')
    process.stdout.write(`${nextSteps(relative('', folder) || '.', template)}\n`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`create-capstan: ${error.message}\n`)
    process.exitCode = 2
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { template: { type: 'string', short: 't' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}. Run it with --help.`)
  }
}

function nextSteps(folder: string, template: string): string {
  const enter = folder === '.' ? [] : [`  cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)}`]
  return [
    `The project of the template "${template}" is in ${folder}. Next:`,
    '',
    ...enter,
    '  npm install',
    '  npm test         # without a key and without a network',
    '  npm start        # asks the local service, or the server of OPENAI_API_KEY and OPENAI_BASE_URL',
    '  npm run studio   # a page to talk to the agent and to see each request',
  ].join('\n')
}
