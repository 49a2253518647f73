/** Returns the stems of the words in text, without common words. */
export function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map(stem)
}

/**
 * Returns the words in text, in lower case and without common words. Splits names at `_`, at `-` and before capitals.
 */
export function wordsOf(text: string): readonly string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  const words = split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !stopWords.has(word))
}

/** Returns a word without the endings of plurals, verb forms, and nouns made from verbs. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const single = word.replace(/ies$/, 'y').replace(/(?<=ss|x|ch|sh)es$|(?<![su])s$/, '')
  const base = single.replace(/(?<=[a-z]{3})(?:ing|ed)$|(?<=[a-z]{4})(?:er|ee|ion|ment)$/, '')
  const undoubled = base === single ? base : base.replace(/([bdgmnprt])\1$/, '$1')
  return undoubled.length > 3 ? undoubled.replace(/e$/, '') : undoubled
}

/** Words to ignore: common English words, and words that are typical of requests. */
const stopWords = new Set(
  (
    'a about all already an and any are as at be been but by can could did do does for from give had has have ' +
    'he her here him his how i if in into is it its just let like long many me more most much my need no not of off ' +
    'on one onto or our out over please she should so some than that the their them then ' +
    'there these they this those to too under up us use using want was we were what when where which who whole whom ' +
    'whose why will with within without would you your'
  ).split(' '),
)

/** Returns stems whose meaning is similar to that of `word`, which must be a stem too. */
export function stemsLike(word: string): readonly string[] {
  return alike.get(word) ?? []
}

/** Words with the same meaning in queries and tool names, one group per line. */
const alike = toAlike([
  'create make new add open start write begin generate publish report',
  'delete remove erase drop clear destroy cancel',
  'update change edit modify rename close replace move sync set',
  'get show read fetch view see display retrieve detail info inspect',
  'list all show every browse which who',
  'search find look query',
  'send post submit reply',
  'download export archive',
  'upload attach import',
  'copy fork clone duplicate',
  'run execute trigger rerun rerequest retry again',
  'stop lock disable block cancel off',
  'allow enable unlock on',
  'ask request invite',
  'approve accept review',
  'dismiss decline reject discard throw',
  'comment reply note',
  'note changelog',
  'issue ticket bug',
  'repository repo project',
  'pull pr',
  'request pr',
  'tag label',
  'picture image photo',
  'mail email',
  'message text chat',
  'folder directory tree',
  'user person people member account colleague',
  'file document',
  'version revision release',
  'reaction emoji heart thumb',
  'branch ref reference',
  'check test ci build',
  'test ping',
  'content text body',
  'diff compare difference',
  'event history timeline activity happen',
  'view visit traffic visitor',
  'watch subscribe follow subscription',
  'popular top common',
  'new latest recent last',
  'settings config configuration option preference',
  'permission role access right',
  'listing list',
])

function toAlike(rows: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const row of rows) {
    const words = row.split(' ').map(stem)
    for (const word of words)
      found.set(word, [...(found.get(word) ?? []), ...words.filter((one) => one !== word)])
  }
  return found
}
