import { eachTool, type InspectedTool, splitWords, type ToolRule } from './rule.js'

// How a tool is run, against what it says it does.

const noExecute = eachTool(
  {
    name: 'no-execute',
    level: 'info',
    finds: 'a tool without a function: runs wait until the caller answers its calls',
  },
  ({ tool }) => {
    if (tool.execute || tool.child || tool.handoff) return []
    const message = 'It has no function: a run that calls it ends as pending.'
    return [{ message, fix: 'Add execute, unless your program is to answer the calls.' }]
  },
)

const changesDeclaredRead = eachTool(
  {
    name: 'changes-declared-read',
    level: 'warning',
    finds: "a tool that by its words deletes, sends or pays, with effects: 'read'",
  },
  (one) => {
    const verb = leadingVerb(one, changingVerbs)
    if (verb === undefined || one.tool.settings.effects !== 'read' || one.tool.handoff) return []
    const message = `By its words it changes things (${verb}), but it says that it only reads.`
    return [{ message, fix: 'Leave effects out, or give a function that names what a call writes.' }]
  },
)

const approvalMissing = eachTool(
  {
    name: 'approval-missing',
    level: 'warning',
    finds: 'a tool that by its words deletes, pays or sends mail, and says nothing of approval',
  },
  (one) => {
    const verb = leadingVerb(one, irreversibleVerbs)
    const { needsApproval, effects } = one.tool.settings
    if (verb === undefined || needsApproval !== undefined || effects === 'read' || !one.tool.execute)
      return []
    const message = `What it does cannot be undone (${verb}), and no call waits for a yes.`
    return [
      {
        message,
        fix: 'Set needsApproval: true, or a function of the arguments; or false, to say that none is needed.',
      },
    ]
  },
)

const untrustedOutput = eachTool(
  {
    name: 'strangers-words',
    level: 'warning',
    finds: 'a tool that brings words of strangers (pages, mails) and does not say whether they are untrusted',
  },
  (one) => {
    if (one.tool.settings.untrusted !== undefined || !readsUntrustedText(one)) return []
    const message = 'What it brings may hold words of strangers, and a model may follow them.'
    return [
      {
        message,
        fix: 'Set untrusted: true: calls that change things then wait for approval; or false, for sources of your own.',
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

/** The verb that a name or a description begins with, where it is one of these. */
function leadingVerb({ name, description }: InspectedTool, verbs: readonly string[]): string | undefined {
  const [first = ''] = nameWords(name)
  if (verbs.includes(first)) return first
  const words = splitWords(description)
  const verb = verbs.find((one) => [one, `${one}s`, `${one}es`].includes(words[0] ?? ''))
  // Requests are sent, too.
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
