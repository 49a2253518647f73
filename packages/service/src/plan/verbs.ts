/** What kind of thing a verb does; a tool and a request that disagree about it hardly belong together. */
export type Action = 'read' | 'create' | 'change' | 'remove' | 'send' | 'interpret'

const actions: Readonly<Record<Action, string>> = {
  read: `get find search show list fetch look lookup query read check tell retrieve view see what what's where who
    when which how is are open track`,
  create: `create add make generate draw paint sketch illustrate render write new book reserve schedule put set start
    save register compose design depict speak say plan remind order
    invoice log record file wake rent hire buy`,
  change: `edit change modify update adjust alter set add remove rename move replace make vary turn switch put
    retouch erase crop resize paint recolor fix`,
  remove: 'delete remove cancel erase clear drop',
  send: 'send email mail message text notify post share forward invite tell transfer pay wire',
  interpret:
    'transcribe translate describe caption classify detect recognize analyze summarize count compare explain',
}

/** The actions a verb can stand for; none when the planner does not know it as a verb. */
export function actionsOf(verb: string): ReadonlySet<Action> {
  return known.get(verb.toLowerCase()) ?? none
}

/** Whether the words begin a command of their own, as after "and": a verb with something to act on. */
export function isCommand(words: string, toolVerbs: ReadonlySet<string>): boolean {
  const [, first = '', next = ''] = /^(?:please\s+|also\s+|now\s+)*(\S+)\s+(\S+)/.exec(words) ?? []
  const verb = first.toLowerCase()
  if (plainVerbs.has(verb)) return true
  return (nounLikeVerbs.has(verb) || toolVerbs.has(verb)) && object.test(next)
}

/** Whether the words after "and" look like a command with a verb nobody foresaw: "feed the cat". */
export function isUnforeseenCommand(words: string, before: string): boolean {
  const [, verb = ''] = /^([a-z]{3,20})\s+(?:the|my|our|me|us|him)\s+\p{L}/u.exec(words) ?? []
  return verb !== '' && !noVerb.test(verb) && !belongsToClause.test(before)
}

// Words that join on to what stands before them: prepositions, adverbs, and verbs that are no commands.
const noVerb =
  /^(?:with|without|within|from|for|into|onto|over|under|near|around|above|below|behind|beside|besides|between|beyond|before|after|during|through|across|along|against|about|inside|outside|upon|until|than|maybe|perhaps|also|even|only|just|both|all|not|now|then|what|how|who|where|when|why|which|whether|because|while|its|his|her|their)$|(?:[aeiouy][a-z]*ing|[^e]ed|[^s]s)$/
// "A boy who can run and catch the ball", "how to sit and watch the sea", "say good night and hug the kids".
const belongsToClause =
  /\b(?:who|which|that|how|while|when|can|could|will|would|may)\b|\bto\s+\w+$|\b(?:say|saying|says|tell|telling|write|read|remind|text|message|note|translate)\s+(?!(?:it|this|them)\b)/i

const none: ReadonlySet<Action> = new Set()
const known = new Map<string, Set<Action>>()
for (const [action, verbs] of Object.entries(actions) as [Action, string][]) {
  for (const verb of verbs.split(/\s+/)) known.set(verb, new Set([...(known.get(verb) ?? []), action]))
}

// Words that are rarely anything but verbs in a request.
const plainVerbs = new Set(
  `draw sketch illustrate generate create render depict read speak say tell give calculate compute convert translate
  transcribe send write find get fetch search look add remove delete edit replace describe summarize summarise turn
  remind explain buy pay sell feed hire solve wash install download upload subtract multiply divide define compare notify tweak erase narrate recite`.split(
    /\s+/,
  ),
)

// Words that are nouns as often: verbs only with an object behind them.
const nounLikeVerbs = new Set(
  `paint make set show list check book order plan email mail call text message play schedule mark note open close
  start stop change save share post move rename switch vary cancel put run use convert crop resize reserve shorten
  update count invite do`.split(/\s+/),
)

// An article, pronoun, number, name, quotation or the like: what an object begins with.
const object =
  /^(?:a|an|the|me|us|my|our|your|his|her|their|it|them|this|that|these|those|all|every|some|any|two|three|four|five|on|off)\b|^[^a-z]/
