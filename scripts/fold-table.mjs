// Writes src/terms/fold_table.rs: what each character of the Basic Multilingual Plane folds to.
//
//   node scripts/fold-table.mjs > src/terms/fold_table.rs
//
// The source is the Unicode data that Node carries (String.prototype.normalize and toLowerCase), so a newer Node
// may add characters. Why a table and not a crate: measured on wasm32 with fat LTO, gzip -9, unicode-normalization
// adds 72 kB and icu_normalizer 40 kB to a package whose ceiling is 150 kB; src/terms/fold.rs tells what this adds.
// `cargo test` compares the table with unicode-normalization, character by character.

const PAGE = 64
const MULTI = 0xe000 // private use: no letter folds to it

const ranges = (text) => text.trim().split(/\s+/).map((r) => { const [a, b] = r.split('-').map((x) => parseInt(x, 16)); return [a, b ?? a] })
const inside = (list) => (cp) => list.some(([a, b]) => a <= cp && cp <= b)

// Accents, Arabic and Hebrew vowel points, tatweel, variation selectors: a reader may leave them out, so they are left out.
const dropped = inside(ranges(`
  300-36f 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 640 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8 6ea-6ed 711 730-74a
  897-89f 8ca-8e1 8e3-8ff 180b-180f 1ab0-1aff 1dc0-1dff 20d0-20ff 2cef-2cf1 2de0-2dff a66f-a672 a674-a67d fb1e fe00-fe0f fe20-fe2f
  ad 61c 200c-200f 202a-202e 2060-206f feff`))

// Left as they are. Jamo and kana are composed by arithmetic in fold.rs. Han compatibility forms would cost a
// kilobyte of data that does not compress, for characters that no current text is written in. Circled and squared
// characters are list marks and symbols, not letters.
const untouched = inside(ranges(`1100-11ff 2460-24ff 2e80-2fdf 3040-30ff 3130-318f 3200-33ff a960-a97f ac00-d7ff d800-f8ff f900-faff fb50-fdff ffa0-ffdc`))

// What people type for a letter that Unicode does not decompose, and the letters that Arabic and Persian keyboards tell apart.
const spelled = { æ: 'ae', ø: 'o', œ: 'oe', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ł: 'l', ŧ: 't', þ: 'th', ß: 'ss', ς: 'σ',
  '\u0671': '\u0627', '\u0649': '\u064a', '\u06cc': '\u064a', '\u06a9': '\u0643', '\u0629': '\u0647', '\u02bb': '', '\u02bc': '' }

const letter = /^[\p{L}\p{M}\p{Nd}\p{Nl}]$/u
const raised = (x) => /^\p{No}$/u.test(x) && /^[0-9]$/.test(x.normalize('NFKD'))

function fold(x) {
  const digit = /^\p{Nd}$/u.test(x) && digitOf(x)
  if (digit) return digit
  let text = x
  for (;;) {
    const next = [...text.normalize('NFKD').toLowerCase().normalize('NFKD')]
      .map((c) => spelled[c] ?? c)
      .filter((c) => !dropped(c.codePointAt(0)) && /[\p{L}\p{M}\p{N}]/u.test(c))
      .join('')
    if (next === text) return text
    text = next
  }
}

// The value of a decimal digit: every script's ten stand in a row, from zero.
function digitOf(x) {
  let n = 0
  while (n < 10 && /^\p{Nd}$/u.test(String.fromCodePoint(x.codePointAt(0) - n - 1))) n++
  return String(n % 10)
}

const pages = new Map(), multi = new Map()
for (let cp = 0x80; cp < 0x10000; cp++) {
  if (untouched(cp)) continue
  const x = String.fromCodePoint(cp)
  let value = 0
  if (dropped(cp)) value = 1
  else if (letter.test(x) || raised(x)) {
    const to = fold(x), units = [...to].map((c) => c.codePointAt(0))
    if (to === x) value = 0
    else if (units.length === 0) value = 1
    else if (units.length === 1) value = units[0]
    else if (units.length <= 4 && units.every((u) => u < 0x10000)) {
      if (!multi.has(to)) multi.set(to, multi.size)
      value = MULTI + multi.get(to)
    }
    if (value > 0xffff || (units.length === 1 && value >= MULTI)) throw new Error(`U+${cp.toString(16)} folds out of range`)
  }
  if (value === 0) continue
  const number = Math.floor(cp / PAGE)
  if (!pages.has(number)) pages.set(number, { values: new Array(PAGE).fill(0), upper: 0n })
  const page = pages.get(number)
  page.values[cp % PAGE] = value
  if (/^[\p{Lu}\p{Lt}]$/u.test(x)) page.upper |= 1n << BigInt(cp % PAGE)
}

const marks = (from, to) => {
  const out = []
  for (let cp = from; cp < to; cp++) {
    const x = String.fromCodePoint(cp)
    if (!/^\p{M}$/u.test(x) || /^\p{Alphabetic}$/u.test(x) || dropped(cp)) continue
    const last = out.at(-1)
    if (last && last[1] === cp - 1) last[1] = cp
    else out.push([cp, cp])
  }
  return out.map(([a, b]) => `(0x${(a & 0xffff).toString(16)}, 0x${(b & 0xffff).toString(16)})`)
}

const wrap = (items, each = 16) => {
  let out = ''
  for (let i = 0; i < items.length; i += each) out += `    ${items.slice(i, i + each).join(', ')},\n`
  return out
}
const numbers = [...pages.keys()].sort((a, b) => a - b)
const index = new Array(0x10000 / PAGE).fill(0)
numbers.forEach((n, i) => { index[n] = i + 1 })
const hex = (n) => (n === 0 ? '0' : `0x${n.toString(16)}`)
const list = [...multi.keys()].map((t) => `[${[0, 1, 2, 3].map((i) => hex(t.charCodeAt(i) || 0)).join(', ')}]`)
const keptMarks = marks(0x80, 0xd800).concat(marks(0xe000, 0x10000)), astral = marks(0x10000, 0x20000)

process.stdout.write(`//! Made by scripts/fold-table.mjs from Unicode ${process.versions.unicode}. Do not edit.

/// How many characters one page holds.
pub(super) const PAGE: usize = ${PAGE};
/// Values from here on count into \`MULTI\`.
pub(super) const FIRST_MULTI: u16 = ${hex(MULTI)};
/// For every ${PAGE} characters: 0, or one more than the number of their page.
#[rustfmt::skip]
pub(super) static INDEX: [u8; ${index.length}] = [
${wrap(index, 32)}];
/// Per character: 0 stays, 1 is left out, else what it folds to.
#[rustfmt::skip]
pub(super) static PAGES: [[u16; PAGE]; ${numbers.length}] = [
${numbers.map((n) => `    [${pages.get(n).values.map(hex).join(', ')}],\n`).join('')}];
/// Which characters of a page are capitals.
#[rustfmt::skip]
pub(super) static CAPITALS: [u64; ${numbers.length}] = [
${wrap(numbers.map((n) => '0x' + pages.get(n).upper.toString(16)), 8)}];
/// What folds to more than one character, padded with 0.
#[rustfmt::skip]
pub(super) static MULTI: [[u16; 4]; ${list.length}] = [
${wrap(list, 4)}];
/// Marks that are part of a word and not alphabetic (viramas, nuktas, tone marks), first and last of each run.
#[rustfmt::skip]
pub(super) static MARKS: [(u16, u16); ${keptMarks.length}] = [
${wrap(keptMarks, 8)}];
/// The same for U+10000 to U+1FFFF, less 0x10000.
#[rustfmt::skip]
pub(super) static ASTRAL_MARKS: [(u16, u16); ${astral.length}] = [
${wrap(astral, 8)}];
`)
process.stderr.write(`${numbers.length} pages, ${list.length} multi, ${keptMarks.length} + ${astral.length} marks\n`)
