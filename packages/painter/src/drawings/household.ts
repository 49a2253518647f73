import { family } from './entry.js'

/** Things of a household: furniture, tools, instruments, electronics, toys. */
export const household = [
  ...family(
    { indoor: true },
    `
    couch-and-lamp-3,4: sofa, couch, settee @0.9 seat 0.42
    fork-and-knife-with-plate+0,1: plate, dish, saucer @0.25 seat 0.35
    bed: bed, bunk @0.9 seat 0.55
    toilet: toilet, lavatory @0.8
    bathtub: bathtub, bath, tub @1.4
    shower: shower head @0.4
    door: door, wooden door @2
    window: window, window frame @1.4
    mirror: mirror, looking glass @0.8
    framed-picture: picture frame, framed picture, framed painting @0.6
    candle: candle @0.2
    diya-lamp: oil lamp @0.1
    red-paper-lantern: paper lantern, red lantern @0.5
    light-bulb: light bulb, lightbulb, bulb @0.12
    flashlight: flashlight, torch @0.2
    broom: broom, broomstick, mop, besom @1.3
    bucket: bucket, pail @0.35
    basket: basket, laundry basket, wicker basket @0.35 seat 0.5
    roll-of-paper: toilet paper, roll of paper @0.12
    soap: soap, bar of soap @0.06
    sponge: sponge @0.08
    plunger: plunger @0.5
    toothbrush: toothbrush @0.18
    razor: razor, shaver @0.15
    lotion-bottle: lotion, shampoo, lotion bottle, sunscreen @0.2
    wastebasket: wastebasket, bin, trash can, rubbish bin, dustbin, waste bin, garbage can @0.6
    mantelpiece-clock: mantel clock @0.3
    alarm-clock: alarm clock @0.15
    watch: watch, wristwatch @0.08
    stopwatch: stopwatch, timer @0.08
    hourglass-not-done: hourglass @0.2
    thermometer: thermometer @0.2
    teddy-bear: teddy bear, teddy, stuffed animal @0.4
    nesting-dolls: doll, matryoshka, russian doll, nesting doll @0.2
    yo-yo: yo yo, yoyo @0.06
    game-die: dice, die @0.03
    puzzle-piece: puzzle, puzzle piece, jigsaw @0.05
    chess-pawn: pawn, chess piece, chess @0.06
    joker: playing card, joker @0.09
    pool-8-ball: billiard ball, eight ball @0.06
    crystal-ball: crystal ball @0.25
    magic-wand: magic wand, wand @0.35
    joystick: joystick @0.2
    video-game: game controller, gamepad, video game, controller @0.12
    mirror-ball: disco ball, mirror ball @0.4
    party-popper: confetti, party popper @0.2
    artist-palette: palette, artist palette @0.3
    paintbrush: paintbrush, brush @0.25
    crayon: crayon @0.1
    pencil: pencil @0.18
    pen: ballpoint pen @0.15
    fountain-pen: pen, fountain pen @0.15
    straight-ruler: ruler @0.3
    triangular-ruler: set square @0.2
    paperclip: paperclip, paper clip @0.04
    pushpin: pushpin, thumbtack, pin @0.04
    scissors: scissors, shears @0.2
    scroll: scroll, parchment @0.3
    newspaper: newspaper, magazine @0.4
    page-facing-up: paper, sheet of paper, document, page @0.3
    memo: note, memo, letter paper @0.2
    books: stack of books, pile of books @0.3
    open-book: open book @0.2
    bookmark: bookmark @0.1
    envelope: letter, envelope, mail @0.12
    love-letter: love letter @0.12
    package: package, parcel, cardboard box @0.4
    calendar: calendar @0.3
    clipboard: clipboard @0.3
    file-folder: folder, file folder @0.25
    file-cabinet: filing cabinet, file cabinet, cabinet, drawer, drawers, chest of drawers @1.3
    closed-book: textbook @0.2
    locked: lock, padlock @0.08
    key: key @0.06
    old-key: old key @0.08
    money-bag: money, money bag, bag of money @0.3
    coin: coin @0.03
    credit-card: credit card, bank card @0.06
    dollar-banknote: dollar, banknote, dollar bill, cash @0.07
    gem-stone: diamond, gem, jewel, ruby, crystal @0.03
    bell: bell @0.2
    trophy: trophy @0.4
    sports-medal: medal, gold medal @0.1
    hammer: hammer, mallet @0.3
    carpentry-saw: saw, handsaw @0.3
    screwdriver: screwdriver @0.25
    wrench: wrench, spanner, pliers @0.25
    axe: axe, hatchet @0.7
    pick: pickaxe, pick @0.8
    nut-and-bolt: screw, bolt, nut and bolt @0.05
    gear: gear, cogwheel, cog @0.2
    toolbox: toolbox, tool box @0.3
    hook: hook @0.1
    chains: chain, chains @0.3
    magnet: magnet @0.12
    clamp: clamp, vice @0.2
    brick: brick @0.1
    knot: rope, knot @0.3
    thread: thread, spool, spool of thread @0.05
    yarn: yarn, wool, ball of wool, ball of yarn @0.12
    sewing-needle: needle, sewing needle @0.06
    safety-pin: safety pin @0.04
    violin: violin, viola, fiddle @0.6
    guitar: electric guitar, bass guitar @1
    banjo: banjo, ukulele, mandolin, lute @0.9
    musical-keyboard: synthesizer, piano keys, keys of a piano @0.2
    drum: drum, snare drum @0.4
    long-drum: bongo, djembe, conga @0.6
    trumpet: trumpet, cornet @0.5
    postal-horn: horn, french horn, tuba, trombone @0.5
    saxophone: saxophone, sax @0.7
    flute: flute, recorder, clarinet, oboe @0.6
    accordion: accordion, concertina @0.5
    maracas: maracas, maraca, rattle @0.25
    microphone: microphone, mic @0.2
    studio-microphone: studio microphone @0.3
    mobile-phone: phone, smartphone, mobile phone, cell phone, cellphone, iphone, mobile, tablet, tablet computer, ipad @0.15
    telephone: telephone, landline, old telephone @0.2
    laptop: laptop, notebook computer @0.3
    desktop-computer: computer, desktop computer, pc, monitor, computer screen @0.5
    printer: printer, photocopier @0.3
    keyboard: keyboard, computer keyboard @0.15
    computer-mouse: computer mouse @0.1
    television: television, tv, tv set, television set @0.6
    camera: camera, photo camera @0.12
    movie-camera: movie camera, film camera @0.4
    video-camera: video camera, camcorder @0.2
    radio: radio, transistor radio @0.2
    headphone: headphones, headphone, headset @0.2
    battery: battery @0.06
    electric-plug: plug, electric plug @0.08
    optical-disk: cd, dvd, disc @0.12
    floppy-disk: floppy disk @0.09
    videocassette: cassette, video cassette @0.1
    pager: pager @0.06
    fax-machine: fax machine, fax @0.3
    loudspeaker: speaker @0.4
    speaker-high-volume: loudspeaker @0.4
    megaphone: megaphone @0.4
    telescope: telescope @1.2
    microscope: microscope @0.4
    test-tube: test tube @0.15
    petri-dish: petri dish @0.1
    alembic: flask, alembic, chemistry flask @0.3
    stethoscope: stethoscope @0.4
    syringe: syringe, injection @0.15
    pill: pill, medicine, capsule @0.03
    adhesive-bandage: bandage, plaster, band aid @0.06
    magnifying-glass-tilted-left: magnifying glass, magnifier, loupe @0.2
    compass: compass @0.08
    world-map: map, world map @0.5
    globe-showing-europe-africa: globe @0.4
    balance-scale: scales, scale, balance @0.5
    bomb: bomb @0.3
    dagger: dagger @0.4
    crossed-swords: crossed swords @0.9
    shield: shield @0.8
    bow-and-arrow: bow and arrow, bow, arrow @1.2
    coffin: coffin @0.6
    funeral-urn: urn @0.4
    boxing-glove: boxing glove @0.3
    tennis: tennis racket, racket, tennis racquet @0.7
    badminton: badminton racket, shuttlecock, badminton @0.7
    ping-pong: table tennis, ping pong, table tennis bat, ping pong paddle @0.25
    bowling: bowling pin, bowling, bowling ball @0.4
    field-hockey: hockey stick @0.9
    ice-hockey: ice hockey stick, ice hockey, puck @1.2
    lacrosse: lacrosse stick @1
    bullseye: target, bullseye, dartboard @0.6
    fishing-pole: fishing rod, fishing pole @1.5
    american-football: american football @0.25
    medical-symbol: medical symbol @0.3
    wireless: wifi @0.2
    luggage: suitcase, luggage, trolley case @0.7
    briefcase: briefcase @0.35
    backpack: backpack, rucksack, schoolbag, school bag, knapsack @0.5
    handbag: handbag, bag @0.3
    clutch-bag: clutch bag @0.15
    purse: purse, wallet @0.12
    shopping-bags: shopping bag, shopping bags, paper bag @0.4
    lipstick: lipstick @0.08
    nail-polish: nail polish @0.08
    hair-pick: comb, hairbrush @0.15
    ribbon: ribbon, bow tie @0.1
    folding-hand-fan: fan, hand fan @0.25
    cigarette: cigarette @0.08
    `,
  ),
  ...family(
    {},
    `
    ladder: ladder, stepladder @3
    soccer-ball: football, soccer ball, soccer @0.22
    basketball: basketball @0.24
    baseball: baseball @0.08
    softball: softball, tennis ball @0.08
    volleyball: volleyball @0.22
    rugby-football: rugby ball, rugby @0.28
    cricket-game: cricket bat, baseball bat @0.9
    goal-net: goal, goal net, soccer goal @2.4
    skateboard: skateboard, longboard @0.2
    roller-skate: roller skate, rollerblade @0.3
    ice-skate: ice skate, skate @0.3
    skis: skis, ski @1.5
    sled: sled, sledge, sleigh, toboggan @0.4
    flying-disc: frisbee, flying disc @0.1
    boomerang: boomerang @0.3
    kite: paper kite @0.9
    diving-mask: diving mask, snorkel @0.25
    curling-stone: curling stone @0.2
    water-pistol: water pistol, water gun, toy gun @0.2
    shopping-cart: shopping cart, shopping trolley, cart @1
    postbox: postbox, mailbox, letterbox, post box @1.2
    fire-extinguisher: fire extinguisher @0.5
    fuel-pump: fuel pump, gas pump, petrol pump @1.8
    vertical-traffic-light: traffic light, traffic lights, stoplight @3
    stop-sign: stop sign @2
    construction: barrier, roadblock @1
    anchor: anchor @1.5
    wheel: wheel, tyre, tire @0.7
    ring-buoy: lifebuoy, life buoy, ring buoy, life ring @0.7
    satellite-antenna: satellite dish, antenna @2
    headstone: headstone, gravestone, tombstone, grave @1
    moai: moai, easter island statue @4
    statue-of-liberty: statue of liberty, statue @9
    jack-o-lantern: pumpkin, jack o lantern, halloween pumpkin @0.4
    triangular-flag: flag, red flag, pennant @2
    chequered-flag: chequered flag, checkered flag @2
    white-flag: white flag @2
    rainbow-flag: rainbow flag @2
    pirate-flag: pirate flag @2
    firecracker: firecracker, dynamite @0.3
    carousel-horse: carousel, merry go round @2.5
    ferris-wheel: ferris wheel, big wheel @20
    roller-coaster: roller coaster @15
    playground-slide: slide, playground slide @2.5
    oil-drum: barrel, oil drum, oil barrel @0.9
    wind-chime: wind chime @0.5
    fountain: fountain @3
    white-cane: cane, walking stick, stick @0.9
    crutch: crutch @1.2
    manual-wheelchair: wheelchair @0.95
    trident-emblem: trident @1.5
    `,
  ),
  ...family(
    { indoor: true },
    `
    t-shirt: shirt, t shirt, tshirt, tee shirt, jersey, blouse, sweater, pullover, jumper @0.7
    running-shirt: tank top, running shirt, undershirt @0.6
    womans-clothes: womans clothes, top @0.6
    dress: dress, gown @1.1
    jeans: trousers, jeans, pants, pair of trousers, pair of jeans, pair of pants, leggings @1
    shorts: shorts, pair of shorts, swimming trunks @0.5
    briefs: underpants, briefs, underwear @0.3
    bikini: bikini @0.6
    one-piece-swimsuit: swimsuit, bathing suit @0.7
    kimono: kimono, robe, bathrobe @1.3
    sari: sari @1.3
    necktie: necktie, tie @0.5
    coat: coat, jacket, overcoat, raincoat @0.9
    lab-coat: lab coat, white coat @0.9
    safety-vest: vest, safety vest, waistcoat @0.6
    scarf: scarf, shawl @0.4
    gloves: glove, gloves, mitten, pair of gloves @0.25
    socks: sock, socks, stocking, pair of socks @0.3
    running-shoe: shoe, sneaker, trainer, running shoe @0.12
    mans-shoe: leather shoe, mens shoe @0.12
    hiking-boot: hiking boot, work boot @0.2
    womans-boot: boot, wellington, rubber boot @0.35
    high-heeled-shoe: high heel, high heels, high heeled shoe, stiletto @0.18
    womans-sandal: sandal @0.12
    thong-sandal: flip flop, flip flops @0.05
    flat-shoe: ballerina, flat shoe, slipper @0.08
    ballet-shoes: ballet shoes, ballet shoe @0.2
    top-hat: hat, top hat @0.25
    billed-cap: cap, baseball cap @0.15
    womans-hat: sun hat, straw hat, bonnet, sunhat @0.15
    graduation-cap: graduation cap, mortarboard @0.2
    rescue-workers-helmet: helmet, rescue helmet @0.25
    military-helmet: military helmet, army helmet @0.25
    crown: crown, tiara @0.2
    glasses: glasses, spectacles, eyeglasses, pair of glasses @0.06
    sunglasses: sunglasses, shades, pair of sunglasses @0.06
    goggles: goggles, ski goggles @0.12
    ring: ring, wedding ring, diamond ring @0.03
    prayer-beads: necklace, beads, prayer beads, bracelet @0.3
    `,
  ),
]
