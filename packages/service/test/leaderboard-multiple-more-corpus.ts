import { type Entry, integers, possible } from './leaderboard-case.js'
import { integer, listOf, oneOf, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const multipleMore: readonly Entry[] = [
  {
    tools: [
      wireTool('concert.book_ticket', 'Book a ticket for a concert of an artist.', {
        artist: text('The name of the artist.'),
        city: text('The city of the concert.'),
        'add_ons?': listOf(
          oneOf('Backstage Pass', 'VIP Seating', 'Parking Pass'),
          'Additional features. Default is an empty list.',
        ),
      }),
      wireTool('music_festival.get_lineup', 'Retrieve the lineup of a music festival.', {
        festival: text('The name of the festival.'),
        year: integer('The year of the festival.'),
      }),
      wireTool('song.get_lyrics', 'Retrieve the lyrics of a song.', {
        title: text('The title of the song.'),
        artist: text('The artist of the song.'),
      }),
    ],
    cases: [
      possible('Show me the lineup of the Roskilde Festival in 2023.', [
        'music_festival.get_lineup',
        {
          festival: ['Roskilde Festival', 'the Roskilde Festival', 'The Roskilde Festival', 'Roskilde'],
          year: [2023],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('list_tools.sum', 'Sum all the numbers of a list.', {
        values: integers('The list of numbers.'),
      }),
      wireTool(
        'list_tools.filter_greater_than',
        'Return the numbers of a list that are greater than a threshold.',
        {
          values: integers('The list of numbers.'),
          threshold: integer('The threshold.'),
        },
      ),
      wireTool('list_tools.count_occurrences', 'Count how often a number occurs in a list.', {
        values: integers('The list of numbers.'),
        target: integer('The number to count.'),
      }),
      wireTool('list_tools.reverse', 'Reverse the order of a list.', {
        values: integers('The list of numbers.'),
      }),
    ],
    cases: [
      possible('Which numbers in the list [4, 18, 25, 9, 16] are greater than 15?', [
        'list_tools.filter_greater_than',
        { values: [[4, 18, 25, 9, 16]], threshold: [15] },
      ]),
    ],
  },
]
