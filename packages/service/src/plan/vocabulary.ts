// The English vocabulary of the planner, as data: words that people and developers use for the same thing.
// Bars divide groups. A word may be in several. Phrases are written with an underscore; the object may be
// inside them.

/** The kind of action of a verb. A tool and a request with different actions rarely match. */
export type Action = 'read' | 'create' | 'change' | 'remove' | 'send' | 'interpret'

/** The verbs of each kind of action. */
export const actions: Readonly<Record<Action, string>> = {
  read: `get find search show list provide obtain determine fetch look lookup query read check tell retrieve
    view see what what's where who when which how is are open track give display locate verify browse compare
    calculate compute estimate explain look_up look_for look_at pull_up bring_up`,
  create: `create add make generate draw paint sketch illustrate render write new book reserve schedule put
    set start save register compose design depict speak say plan remind order invoice log record file wake
    rent hire buy grant enroll enrol register issue admit lend borrow place raise submit report arrange
    request apply donate bid deposit upload launch deploy plant bake prescribe vaccinate get note enter
    purchase reorder put_down write_down sign_up set_up pencil_in take_on check_in write_up set_aside
    keep_aside put_aside hold open subscribe quote bill charge prepare`,
  change: `edit change modify update adjust alter set add remove rename move replace make vary turn switch put
    retouch erase crop resize paint recolor fix assign allocate give extend renew prolong raise lower increase
    decrease reduce close reopen resolve complete finish mark approve accept confirm merge swap exchange
    freeze pause resume suspend restart reboot reset restore promote escalate transfer shift reschedule
    postpone push_back put_off bring_forward hand_over put_on turn_on turn_off turn_down turn_up lock unlock
    enable disable activate deactivate extend keep return excuse tag flag label tick_off check_out check_off
    irrigate water`,
  remove: `delete remove cancel erase clear drop revoke withdraw unsubscribe terminate reject call_off
    get_rid_of scrap void annul decline discharge evict block stop refund reimburse give_back pay_back
    take_off write_off throw_away archive dismiss waive dispose money_back`,
  send: `send email mail message text notify post share forward invite tell transfer pay wire give grant
    deliver dispatch publish announce ask call ring inform ping submit pass_on let_know drop_a_line remind
    chase settle ship`,
  interpret:
    'transcribe translate describe caption classify detect recognize analyze summarize count compare explain identify',
}

/** Verbs, each with its irregular forms. */
export const irregular = `
  give gave given | bring brought | take took taken | go went gone | get got | pay paid | send sent | keep
  kept | child children | man men | woman women | tooth teeth | hold held | write wrote written | make made |
  repay repaid | forget forgot forgotten | ring rang | sing sang | eat ate | spend spent | catch caught |
  teach taught | meet met | grow grew | sow sown | hurt hurt | wear worn | withdraw withdrew withdrawn | leave
  leaving | die dying | break broke broken | sell sold | buy bought | lend lent | come came | run ran | say
  said | tell told | choose chose | drive drove driven | feed fed
`

/** Synonyms. The first word of a group represents all its words. */
export const synonyms = `
  image picture drawing draw paint painting sketch illustration illustrate | image photo photograph depict
  portrait artwork | audio recording sound clip | speak say speech spoken aloud voice narrate pronounce recite
  tts | transcribe transcription transcript | vary variation variant alternative | edit modify change alter
  adjust update retouch | find search lookup query | weather forecast rain snow sunny warm cold windy cloudy
  umbrella | currency money dollar euro yen pound usd eur gbp jpy exchange | convert conversion | price cost
  quote | email mail | event meeting appointment calendar | task todo chore | remind reminder | light lamp
  bulb | calculate calculator compute arithmetic evaluate math | define definition meaning | book reserve
  reservation booking | delete remove erase cancel | news headline article | flight fly | drive car driving |
  walk foot | cycle bike bicycle | transit subway metro | alarm wake | route direction directions |
  invoice bill | shop store product | balance left | summarize summary summarise | describe description
  caption | weight weigh weighed | elevation high height altitude tall
`

/** Other spellings of units and of values in an enum. */
export const spellings = `
  celsius c °c centigrade | fahrenheit f °f | kelvin k | km kilometer kilometre kms | mi mile | m meter metre
  | ft foot feet | cm centimeter centimetre | mm millimeter millimetre | in inch inches | yd yard | kg
  kilogram kilo | g gram | lb pound lbs | oz ounce | l liter litre | ml milliliter millilitre | gal gallon |
  kmh km/h kph | mean average avg | max maximum largest highest biggest greatest | min minimum smallest lowest
  least | asc ascending | desc descending | transit train | transit bus | transit tram
`

/** Words and signs of currencies that do not follow from their English names, each with its ISO 4217 code. */
export const currencies = `$ USD us$ USD a$ AUD au$ AUD c$ CAD ca$ CAD nz$ NZD hk$ HKD s$ SGD € EUR £ GBP ¥ JPY ₹ INR dollar USD buck USD american-dollar USD united-states-dollar USD
  pound GBP sterling GBP pound-sterling GBP yuan CNY renminbi CNY franc CHF rupee INR won KRW peso MXN real BRL
  ruble RUB rouble RUB lira TRY shekel ILS koruna CZK bitcoin BTC`

/** Codes that are also recognised in lower case. */
export const spokenCodes =
  'USD EUR GBP JPY CNY CHF CAD AUD SEK NOK DKK PLN CZK HUF INR KRW MXN BRL RUB TRY ZAR ILS BTC NZD SGD HKD THB IDR MYR PHP AED SAR EGP UAH RON BGN ISK'

/** Names of countries, and of those who live there, that do not follow from their English names. */
export const otherCountries = `uk GB usa US great-britain GB czech-republic CZ turkey TR holland NL british GB american US
  french FR spanish ES dutch NL swiss CH danish DK polish PL irish IE greek GR norwegian NO portuguese PT czech CZ`

/** Verbs and nouns so common in tool names and requests that they weigh little. */
export const genericWords = new Set(
  `get find show list give tell fetch make create set add put run do check send generate new start use return
  latest best work data information info item result tool user`.split(/\s+/),
)

/** Groups of related words for the same subject. */
export const groups = `
  find look_up look_for locate seek hunt_down dig_up | get show list display fetch retrieve view see pull_up
  bring_up read_out overview | check verify test inspect confirm look_at | tell give say let_know | know
  information details info particulars about | status progress state up_to_date stand happening doing
  come_along going_on up_to | track trace follow locate whereabouts position where | availability available
  free vacancy vacant open slot room | price rate fee charge expensive pay how_much worth tariff | stock
  inventory level left remain hand on_hand have quantity | balance owe owed outstanding due debt arrears
  credit account | history past previous log record had ever | forecast outlook | schedule timetable calendar
  agenda plan program programme rota roster | compare versus difference | calculate work_out figure_out
  estimate count total sum | monitor watch observe measure reading | report statistics figures summary
  analysis overview | opening_hours hours open close | result outcome score finding | browse explore | create
  add make new open start set_up establish found | book schedule appointment arrange set_aside keep_aside
  put_aside put_by hold pencil_in put_down get_in | register enrol enroll sign_up enter join admit
  registration enrolment enrollment put_down check_in | record log note document enter file write_down report
  put_down capture jot_down track | order purchase buy procure get request reorder restock need | request
  apply application ask submit claim | raise open file lodge report issue | issue grant give award hand_out
  hand lend | lend loan borrow check_out take_out | hire rent lease rental let | hire recruit employ onboard
  take_on | start begin launch run initiate kick_off trigger turn_on | write draft compose | upload attach
  import | generate produce build render | plan organise organize arrange prepare set_up | remind remember
  alert | deploy release rollout roll_out ship launch push publish | backup back_up snapshot dump archive |
  scan check | plant sow seed | bake cook prepare brew | rate review feedback | donate give gift contribute |
  bid offer quote tender estimate proposal | prescribe prescription | vaccinate immunise immunize immunisation
  shot jab inoculate vaccine booster | admit admission check_in | deposit pay_in put_in | subscribe
  subscription sign_up membership | save bookmark keep | print copy | clean wash tidy housekeeping | change
  amend correct revise fix | move reschedule postpone shift delay push_back put_off bring_forward relocate
  rearrange defer push put | transfer move relocate shift | rename name call retitle | assign allocate give
  hand_over put_on delegate dispatch | extend prolong renew renewal extension longer lengthen keep | increase
  raise up lift put_up bump bump_up | decrease lower reduce cut drop bring_down turn_down | set put turn
  adjust | switch turn_on turn_off toggle turn power enable disable activate deactivate | lock unlock | open
  close shut | close resolve complete finish done solve settle conclude wrap_up shut fix mark | approve accept
  confirm authorise authorize sign_off approval agree green_light okay allow wave_through | merge combine |
  replace swap exchange substitute | exchange return swap | return bring_back give_back hand_back | freeze
  pause suspend hold hibernate on_hold | resume unfreeze reactivate restart continue unpause reinstate |
  restart reboot bounce | scale resize | promote upgrade | reset clear restore | restore recover bring_back
  undo revert roll_back rollback | mark tick_off check_off flag label set tag | check_in arrive arrival |
  check_out leave depart departure | apply use redeem | mute unmute silence | repair mend service fix
  maintenance | top_up recharge refill add load | escalate raise | irrigate water sprinkle | treat spray
  treatment | sell sale | harvest pick reap crop | adopt rehome | clock_in clock_out | transfer promote |
  rotate renew | cancel call_off drop scrap void annul cancellation cancelled abandon cancelation scratch pull
  withdraw not_coming get_rid_of | delete get_rid_of drop take_out take_off clear strike | return refund
  reimburse money_back pay_back give_back reimbursement | reject decline refuse deny turn_down rejection |
  revoke withdraw rescind take_away block | unsubscribe terminate end quit leave stop | block ban freeze lock
  disable stop | discharge release send_home | archive retire | dispose discard write_off throw_away bin waste
  | fire dismiss lay_off | unassign release | stop halt abort end kill | waive forgive | send mail dispatch
  forward deliver shoot | message text sms write_to drop_a_line tell notify let_know inform ping alert
  notification | post publish announce share put_up put_out announcement | pay payment transfer wire send
  remit settle money | invite invitation ask | call phone ring dial | forward pass_on | ship dispatch send
  consign | dispatch send deploy | remind nudge chase chase_up | submit file hand_in | share give_access |
  broadcast announce | transcribe | describe | classify categorise categorize detect recognise recognize
  identify | analyse analyze analysis | vaccination shot jab vaccine injection immunisation | patient client
  case | animal pet dog cat horse creature beast | owner keeper holder belong | doctor physician gp dr
  practitioner clinician medic consultant | vet veterinarian | dentist dental tooth | nurse carer caregiver |
  appointment visit consultation checkup check-up session slot booking | checkup check-up examination exam
  physical check inspection | medicine medication drug prescription pill tablet meds dose | allergy allergic
  reaction | symptom complaint problem | diagnosis condition illness disease sick ill | test lab sample
  specimen blood analysis result | ward unit department station | bed room | operation surgery procedure |
  treatment therapy remedy | insurance policy cover coverage insured insurer | claim damage loss accident
  incident | accident crash collision incident | premium contribution | room suite bedroom chamber | guest
  visitor lodger customer | reservation stay table | arrival check-in from | departure check-out | night stay
  | housekeeping cleaning towel maid | restaurant table diner dinner lunch eat | menu dish meal food course |
  recipe ingredient cook | bill check | tip gratuity | price rate fee fare charge tariff | discount reduction
  rebate voucher coupon off | vehicle car van truck lorry auto automobile motor fleet | registration plate
  number_plate licence_plate license | mileage odometer odometer_reading miles kilometres clock | driver
  chauffeur drive | fuel petrol diesel gas tank fill_up filled refuel | tyre tire wheel | repair fix workshop
  garage | service maintenance inspection | part spare component | parking space | trip journey ride travel
  tour | flight plane | airport terminal | passenger traveller traveler | seat place ticket | luggage baggage
  bag suitcase | train rail railway transit | bus coach transit | taxi cab ride lift | bike | boat ship vessel yacht | berth
  mooring | route way path tour | stop station halt | town city | house home property flat apartment building
  | property house flat apartment real_estate listing home | landlord owner | tenant renter lodger resident
  live | lease contract tenancy | viewing visit showing look_round | maintenance repair fault | meter reading
  consumption usage | electricity power energy current | outage blackout failure down power_cut | water supply
  | heating heater warm temperature thermostat boiler | light | door gate lock | contract agreement deal |
  case matter lawsuit dossier file | lawyer attorney solicitor counsel advocate | opponent opposing | court
  hearing trial | deadline due limit | document file paper record | note memo remark comment | employee staff
  worker colleague personnel team people | manager boss supervisor head lead | salary pay wage income earn |
  payroll payslip pay_slip | leave vacation holiday absence time_off day_off days_off off | shift rota duty
  roster | overtime hours extra_hours | hours time work | timesheet hours | job position vacancy role post
  opening | candidate applicant application | interview meeting | training course workshop seminar class |
  expense cost receipt spending | receipt proof slip | budget spending allowance | payment pay transfer
  instalment installment | bank account iban | account profile user | transaction movement booking payment |
  card credit_card debit_card | loan credit | tax vat duty | amount sum total value | balance saldo | student
  pupil learner child | teacher tutor instructor lecturer coach trainer | class lesson course group | lesson
  class hour period | grade mark score result | homework assignment task exercise | exam test | attendance
  present absent absence presence late miss | absence absent off away miss excused | parent mother father mum
  dad | subject topic | semester term | school nursery kindergarten | book title volume copy | author writer |
  library catalogue | member membership subscriber | exhibit exhibition artwork object | tour guide visit |
  performance show play concert gig screening | film movie screening | ticket seat admission | stage theatre
  venue hall | song track title tune piece | playlist setlist queue | album record | artist band singer
  musician | instrument piano guitar | event function occasion party | participant attendee guest | calendar
  diary agenda | meeting call | task job | email message | contact person address | phone telephone mobile
  number | message text sms note | channel room group | comment remark reply | video clip film | post article
  entry | customer client buyer shopper account | supplier vendor provider seller wholesaler | purchase_order
  order | cart basket trolley | product article item goods sku merchandise | catalogue range shop sell | shop
  branch outlet | stock inventory warehouse supply on_hand | warehouse depot storage store | bin shelf
  location rack | pallet skid | delivery shipment parcel package consignment shipping | parcel package packet
  | courier carrier haulier | address street place | tracking shipment | warranty guarantee | quantity number
  amount count units pieces | size dimension | colour color | weight kilos kg heavy | batch lot charge |
  machine equipment device plant | device computer laptop hardware asset equipment | asset equipment inventory
  | fault defect error problem issue broken failure | ticket issue incident case request | problem trouble
  issue incident fault | priority urgency urgent important | urgent emergency critical asap rush express |
  normal standard regular medium ordinary | high top | low minor | user account login username person |
  password login credentials | access permission rights | server machine host instance box | service app
  application | database db | deployment release version rollout build | alert alarm warning incident | backup
  snapshot copy | domain website site | certificate ssl | network wifi internet connection | printer print |
  phone_number number | plan tariff subscription | data usage volume | technician engineer mechanic fitter
  repairman | agent rep representative | support help helpdesk help_desk | crop plant field | field plot
  paddock parcel land | harvest yield | cow cattle herd livestock | milk dairy | fertiliser fertilizer feed |
  garden yard bed | tree plant | flower bouquet | project job site | site construction | material supply |
  quote quotation estimate offer | inspection survey check | permit permission licence license | citizen
  resident inhabitant | pothole hole | waste garbage rubbish trash bin | collection pickup pick_up | volunteer
  helper | shelter home | adoption adopt | gym fitness club | workout exercise training | class session course
  | match game fixture | team squad side | player member | score result points | pitch court field | haircut
  cut hairdresser hair | stylist hairdresser barber | salon parlour | pharmacy chemist | glasses lenses
  spectacles | prescription script | funeral burial | wedding marriage | cake pastry | bread loaf | coffee
  espresso | wine bottle | beer keg | reason why cause because | date day when | time hour when o'clock |
  duration length long | width wide broad | height high tall | depth deep | age old | end finish until | first earliest | last
  latest final | open unresolved outstanding unpaid pending active current | overdue late | cheap inexpensive
  affordable | temperature degrees warm hot | humidity moisture | speed fast | distance far | level volume |
  sensor probe | energy electricity power consumption | solar panel | map directions | rating stars review |
  review feedback opinion | complaint grievance | lost missing | key keycard | locker box | membership
  subscription plan | points bonus loyalty rewards | gift voucher card | report statement | statement account
  | questionnaire survey | vote poll | child kid baby | family relatives | neighbour neighbor | police officer
  | fire blaze | ambulance paramedic | crew team staff | laundry washing | suit dress clothes garment |
  fitting alteration | translation language | interpreter translator | cinema film movie | ferry crossing boat
  | cabin room | campsite pitch camping | tent caravan | ski lift pass | pass ticket | museum gallery | grave
  plot | container box | load cargo freight shipment | customs clearance | port harbour harbor | crane lift |
  tool instrument | temperature fever | pulse heart_rate | blood_pressure pressure | diet nutrition | calorie
  kcal | sleep night | step walk | illness ill sick unwell disease fever flu | temperature temp | pupil
  student school class lesson kindergarten | slot gap opening free available | ready done finished complete |
  collected pick_up fetched | pickup collection fetch collect empty | absence miss away ill sick school |
  defect broken dripping leaking stuck cracked damaged faulty | leak dripping burst | blocked clogged | noise
  noisy loud | dirty unclean messy filthy | urgent emergency immediately asap | letter write_to | pending
  waiting awaiting | active running current | vacation holiday annual_leave | adult grown-up | morning am |
  afternoon pm | monthly month | weekly week | daily day | yearly annual year
`
