// Makes github-tools.json of the document of GitHub: `node make-github-tools.mjs PATH_OF/api.github.com.json`.
// Names and descriptions of 300 operations, with the names and descriptions of their parameters.
import { readFileSync, writeFileSync } from 'node:fs'

const [path] = process.argv.slice(2)
const { paths, components } = JSON.parse(readFileSync(path, 'utf8'))
const whole = ['issues', 'pulls', 'git', 'gists', 'search', 'checks', 'reactions', 'activity', 'projects']
const most = 300

const all = Object.values(paths).flatMap((methods) =>
  Object.values(methods).filter(({ operationId }) => operationId),
)
const subjectOf = ({ operationId }) => operationId.split('/')[0]
const chosen = all.filter((one) => whole.includes(subjectOf(one)))
const repos = all.filter((one) => subjectOf(one) === 'repos')
const left = most - chosen.length
const spread = Array.from({ length: left }, (_, at) => repos[Math.floor((at * repos.length) / left)])

const tools = [...chosen, ...spread].map(
  ({ operationId, summary, description = '', parameters = [], requestBody }) => {
    const given = parameters.map(({ $ref, ...own }) =>
      $ref ? components.parameters[$ref.split('/').at(-1)] : own,
    )
    const { properties = {} } = requestBody?.content?.['application/json']?.schema ?? {}
    const fields = [
      ...given.map(({ name, description: text }) => [name, text]),
      ...Object.entries(properties).map(([name, one]) => [name, one.description]),
    ]
    return {
      name: operationId.replaceAll('/', '_'),
      description: shortened(`${summary}. ${description}`, 240),
      parameters: Object.fromEntries(fields.map(([name, text = '']) => [name, shortened(text, 40)])),
    }
  },
)
const sorted = tools.sort((one, other) => (one.name < other.name ? -1 : 1))
const lines = sorted.map((one) => `  ${JSON.stringify(one)}`)
writeFileSync(new URL('github-tools.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`)

function shortened(text, length) {
  const plain = text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length <= length ? plain : plain.slice(0, length).replace(/\s\S*$/, '')
}
