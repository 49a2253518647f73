#!/usr/bin/env node
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { createProject, templates, UsageError } from './create-project.js'

const usage = `npm create capstan [FOLDER] [-- --template NAME]

Creates a project with an agent, a test and a README in FOLDER (default my-agent).

${Object.entries(templates)
  .map(([name, about]) => `  ${name.padEnd(8)} ${about}`)
  .join('\n')}

The default template is tools.
`

main(process.argv.slice(2))

function main(args: readonly string[]): void {
  try {
    const { values, positionals } = parse(args)
    if (values.help) {
      process.stdout.write(usage)
      return
    }
    if (positionals.length > 1)
      throw new UsageError(
        `Only one folder can be created, but you named ${positionals.join(', ')}. Name one.`,
      )
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
    `Created ${folder} (template: ${template}). Next:`,
    '',
    ...enter,
    '  npm install',
    '  npm test         # no key or network needed',
    '  npm start        # uses the local service, or OPENAI_BASE_URL and OPENAI_API_KEY if set',
    '  npm run studio   # opens a page to chat and see each request',
  ].join('\n')
}
