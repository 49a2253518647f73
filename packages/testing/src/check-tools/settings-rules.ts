import { eachTool, type InspectedTool, splitWords, type ToolRule } from './rule.js'

// Rules that compare a tool's settings with its name and description.

const noExecute = eachTool(
  {
    name: 'no-execute',
    level: 'info',
    finds: 'a tool without execute, so a run that calls it is pending until you provide the result',
  },
  ({ tool }) => {
    if (tool.execute) return []
    const message = 'It has no execute, so a run that calls it ends as pending.'
    return [{ message, fix: 'Add execute, unless your program provides the results.' }]
  },
)

const changesDeclaredRead = eachTool(
  {
    name: 'changes-declared-read',
    level: 'warning',
    finds: "a tool whose name or description says that it deletes, sends or pays, but with effects: 'read'",
  },
  (one) => {
    const verb = leadingVerb(one, changingVerbs)
    if (verb === undefined || one.tool.settings.effects !== 'read' || one.tool.agent) return []
    const message = `Its name or description says that it changes things (${verb}), but effects is 'read'.`
    return [{ message, fix: 'Omit effects, or set it to a function that returns what a call writes.' }]
  },
)

const approvalMissing = eachTool(
  {
    name: 'approval-missing',
    level: 'warning',
    finds: 'a tool whose name or description says that it deletes, pays or sends mail, without needsApproval',
  },
  (one) => {
    const verb = leadingVerb(one, irreversibleVerbs)
    const { needsApproval, effects } = one.tool.settings
    if (verb === undefined || needsApproval !== undefined || effects === 'read' || !one.tool.execute)
      return []
    const message = `Its effect cannot be undone (${verb}), but its calls need no approval.`
    return [
      {
        message,
        fix: 'Set needsApproval to true or to a function of the arguments, or to false if no approval is needed.',
      },
    ]
  },
)

const untrustedOutput = eachTool(
  {
    name: 'untrusted-output',
    level: 'warning',
    finds:
      'a tool that returns text from untrusted sources, such as web pages or mails, without the setting untrusted',
  },
  (one) => {
    if (one.tool.settings.untrusted !== undefined || !readsUntrustedText(one)) return []
    const message =
      'Its results may contain instructions from untrusted sources, and a model may follow them.'
    return [
      {
        message,
        fix: 'Set untrusted: true, so that later calls that change things need approval. Set it to false if the sources are your own.',
      },
    ]
  },
)

export const settingsRules: readonly ToolRule[] = [
  changesDeclaredRead,
  approvalMissing,
  untrustedOutput,
  noExecute,
]

const irreversibleVerbs = wordList('delete erase destroy wipe purge pay refund purchase buy send')
const changingVerbs = [
  ...irreversibleVerbs,
  ...wordList('overwrite update cancel publish deploy submit transfer'),
]
const readingVerbs = wordList('fetch browse scrape crawl open read visit search get list')

/** Returns the verb that the name or description starts with, if it is one of `verbs`. */
function leadingVerb({ name, description }: InspectedTool, verbs: readonly string[]): string | undefined {
  const [first = ''] = nameWords(name)
  if (verbs.includes(first)) return first
  const words = splitWords(description)
  const verb = verbs.find((one) => [one, `${one}s`, `${one}es`].includes(words[0] ?? ''))
  // For example, "Sends a request" does not send anything to a person.
  return verb === 'send' && !words.some((word) => mailWords.includes(word)) ? undefined : verb
}

const mailWords = wordList('email emails mail mails message messages sms letter letters money')

function readsUntrustedText(one: InspectedTool): boolean {
  const verb = leadingVerb(one, readingVerbs)
  const name = nameWords(one.name)
  const words = [...name, ...splitWords(one.description)]
  const has = (among: readonly string[]) => words.some((word) => among.includes(word))
  if (name.includes('web') && name.includes('search')) return true
  if (verb === undefined) return false
  const isOfWeb = !['get', 'list'].includes(verb) && (has(webWords) || takesUrl(one))
  return isOfWeb || has(inboxWords) || (verb === 'read' && name.includes('email'))
}

const webWords = wordList('web webpage webpages website websites internet rss')
const inboxWords = wordList('emails mails inbox mailbox')

function takesUrl({ parts }: InspectedTool): boolean {
  return parts.some(({ name, schema }) => schema.format === 'uri' || name === 'url')
}

function nameWords(name: string): readonly string[] {
  return splitWords(name.replaceAll('-', '_'))
}

function wordList(words: string): readonly string[] {
  return words.split(' ')
}
