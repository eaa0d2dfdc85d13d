#!/usr/bin/env bash
# Writes vectors.json: known answers for the signature of a server-to-server request, computed by openssl and nothing else.
# Usage: bash test/protocol/vectors.sh > test/protocol/vectors.json   (bash 4 or later, openssl 1.1 or later, od, sed)
set -euo pipefail
export LC_ALL=C

key='demo-private-key-0123456789abcdef'
time='1760000000000'
nonce='0123456789abcdefghijABCDEFGHIJ_-'
body='{"custom_user_id":"player-1","device_id":"device-1","game_id":"3fa85f64-5717-4562-b3fc-2c963f66afa6","env":0}'

hex() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }
bytes() { printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"; }
# HMAC-SHA-256: hex of the key, hex of what is signed.
hmac_hex() { bytes "$2" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -r | cut -d' ' -f1; }
hmac_base64() { bytes "$2" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary | openssl base64 -A; }
json() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\r'/\\r}
  text=${text//$'\t'/\\t}
  printf '"%s"' "$text"
}
# What a verifier builds: timestamp, nonce and body, each followed by a newline. The body is given in hex.
text_hex() { printf '%s0a%s0a%s0a' "$(hex "$1")" "$(hex "$2")" "$3"; }

separator=''
# write <name> <valid> <encoding> <key> <timestamp> <nonce> <body's hex> <body or ''> <signature> <why>
write() {
  local text mac
  text=$(text_hex "$5" "$6" "$7")
  mac=$(hmac_hex "$(hex "$4")" "$text")
  printf '%s    {\n      "name": %s,\n      "valid": %s,\n      "encoding": "%s",\n' "$separator" "$(json "$1")" "$2" "$3"
  printf '      "key": %s,\n      "timestamp": "%s",\n      "nonce": "%s",\n' "$(json "$4")" "$5" "$6"
  if [ -n "$8" ] || [ -z "$7" ]; then printf '      "body": %s,\n' "$(json "$8")"; else printf '      "bodyHex": "%s",\n' "$7"; fi
  printf '      "textHex": "%s",\n      "hmac": "%s",\n      "signature": %s,\n      "why": %s\n    }' \
    "$text" "$mac" "$(json "$9")" "$(json "${10}")"
  separator=$',\n'
}
# good <name> <key> <timestamp> <nonce> <body> <encoding> <why>
good() {
  local text signature
  text=$(text_hex "$3" "$4" "$(hex "$5")")
  signature=$("hmac_$6" "$(hex "$2")" "$text")
  write "$1" true "$6" "$2" "$3" "$4" "$(hex "$5")" "$5" "$signature" "$7"
}
# other <name> <valid> <encoding> <signature> <why>: another signature with the first vector's request
other() { write "$1" "$2" "$3" "$key" "$time" "$nonce" "$(hex "$body")" "$body" "$4" "$5"; }
# tampered <name> <key> <timestamp> <nonce> <body> <why>: the first vector's signature with another request
tampered() { write "$1" false hex "$2" "$3" "$4" "$(hex "$5")" "$5" "$first" "$6"; }

first_text=$(text_hex "$time" "$nonce" "$(hex "$body")")
first=$(hmac_hex "$(hex "$key")" "$first_text")
first_base64=$(hmac_base64 "$(hex "$key")" "$first_text")
# Signatures over texts that are almost the right one.
over() { hmac_hex "$(hex "$key")" "$1"; }

cat <<'ABOUT'
{
  "about": [
    "Known answers for the signature of server-to-server requests, computed by openssl (vectors.sh, beside this file).",
    "key: the game's private key; HMAC is keyed with its UTF-8 bytes.",
    "timestamp, nonce, signature: what arrives in Service-Timestamp, Service-Nonce and Service-Signature.",
    "body: the body that arrives, to be taken as UTF-8; bodyHex instead, in hex, where the bytes are no UTF-8 text.",
    "textHex: the bytes that a verifier has to build from it: timestamp, nonce and body, each followed by 0x0a; in hex.",
    "hmac: HMAC-SHA-256 over them, in hex: what the signature has to say.",
    "encoding: how the signature is written: hex (any case is to be accepted), base64, or none of both.",
    "valid: whether a verifier has to accept it. The clock and the nonce's reuse are not part of this."
  ],
  "vectors": [
ABOUT

good 'plain' "$key" "$time" "$nonce" "$body" hex 'An ordinary request.'
good 'base64' "$key" "$time" "$nonce" "$body" base64 'The same signature in base64.'
good 'empty object' "$key" "$time" "$nonce" '{}' hex 'The shortest JSON object.'
good 'empty body' "$key" "$time" "$nonce" '' hex 'Nothing between the second newline and the last one.'
good 'white space in the body' "$key" "$time" "$nonce" $'{\n\t"env" : 0 ,\n  "device_id" : "device-1"\n}' hex 'White space is signed as it is sent.'
good 'newlines at the end of the body' "$key" "$time" "$nonce" $'{"env":0}\n\n' hex "The body's own newlines come before the one that ends the text."
good 'CRLF in the body' "$key" "$time" "$nonce" $'{\r\n"env":0\r\n}\r\n' hex 'Carriage returns stay.'
good 'order of members' "$key" "$time" "$nonce" '{"env":0,"game_id":"3fa85f64-5717-4562-b3fc-2c963f66afa6","b":1,"a":2,"10":3,"9":4}' hex 'Who parses the body and writes it again signs another text.'
good 'numbers as written' "$key" "$time" "$nonce" '{"a":1.0,"b":1e2,"c":-0,"d":0.10}' hex 'Who parses the body and writes it again signs another text.'
good 'duplicate members' "$key" "$time" "$nonce" '{"env":0,"env":1}' hex 'Both are signed.'
good 'escapes in the body' "$key" "$time" "$nonce" '{"name":"\u00e9\u4e2d\ud83d\ude00\/\\\"\n"}' hex 'Escapes are signed as they are written.'
good 'accents in the body' "$key" "$time" "$nonce" '{"name":"Zoë Ångström"}' hex 'Two bytes a letter.'
good 'other scripts in the body' "$key" "$time" "$nonce" '{"name":"玩家一号 игрок لاعب"}' hex 'Two and three bytes a letter, right to left as well.'
good 'emoji in the body' "$key" "$time" "$nonce" '{"name":"🎮👩‍🚀🏳️‍🌈"}' hex 'Four bytes each, with joiners.'
good 'combining marks in the body' "$key" "$time" "$nonce" $'{"composed":"\xc3\xa9","combined":"e\xcc\x81"}' hex 'Nothing is normalised: both forms stay as they are.'
good 'byte order mark before the body' "$key" "$time" "$nonce" $'\xef\xbb\xbf{"env":0}' hex 'Who decodes the body as text drops it, and signs another text.'
good 'line separators in the body' "$key" "$time" "$nonce" $'{"name":"\xe2\x80\xa8\xe2\x80\xa9\xc2\x85"}' hex 'U+2028, U+2029 and U+0085 are no newlines here.'
good 'long body' "$key" "$time" "$nonce" "{\"note\":\"$(printf 'abcdefgh%.0s' {1..600})\"}" hex 'More than one buffer.'
good 'Unicode key' 'clé-密钥-🔑' "$time" "$nonce" "$body" hex "The key's bytes are UTF-8."
good 'short key' 'k' "$time" "$nonce" "$body" hex 'One byte.'
good 'key of one block' "$(printf 'abcdefgh%.0s' {1..8})" "$time" "$nonce" "$body" hex '64 bytes, the block of SHA-256.'
good 'key of more than one block' "$(printf 'abcdefgh%.0s' {1..8})i" "$time" "$nonce" "$body" hex '65 bytes: HMAC hashes the key first.'
good 'key that looks like hex' '00112233445566778899aabbccddeeff' "$time" "$nonce" "$body" hex 'It is text all the same: 32 bytes, not 16.'
good 'key that looks like base64' 'c2VjcmV0LWtleQ==' "$time" "$nonce" "$body" hex 'It is text all the same.'
good 'another time and nonce' "$key" '9999999999999' 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz' "$body" base64 'The last timestamp of 13 digits.'
write 'bytes that are no UTF-8' true hex "$key" "$time" "$nonce" '7b226e616d65223a22fffe80227d' '' \
  "$(over "$(text_hex "$time" "$nonce" '7b226e616d65223a22fffe80227d')")" 'The bytes are signed, not their decoded text.'

other 'upper-case hex' true hex "${first^^}" 'Hex has no case.'
other 'mixed-case hex' true hex "$(sed 's/a/A/g; s/d/D/g' <<<"$first")" 'Hex has no case.'

tampered 'body: one byte changed' "$key" "$time" "$nonce" "${body/player-1/player-2}" 'Another user.'
tampered 'body: one space more' "$key" "$time" "$nonce" "${body/:/: }" 'The same JSON, but another text.'
tampered 'body: another order' "$key" "$time" "$nonce" '{"env":0,"custom_user_id":"player-1","device_id":"device-1","game_id":"3fa85f64-5717-4562-b3fc-2c963f66afa6"}' 'The same JSON, but another text.'
tampered 'body: a newline more' "$key" "$time" "$nonce" "$body"$'\n' 'The newline that ends the text is not part of the body.'
tampered 'timestamp: one millisecond later' "$key" '1760000000001' "$nonce" "$body" 'Another time.'
tampered 'nonce: one character changed' "$key" "$time" '1123456789abcdefghijABCDEFGHIJ_-' "$body" 'Another nonce.'
tampered 'nonce: another case' "$key" "$time" '0123456789ABCDEFGHIJabcdefghij_-' "$body" 'Another nonce.'
tampered 'key: one character changed' "${key/demo/Demo}" "$time" "$nonce" "$body" 'Another game.'
tampered 'key: a space at its end' "$key " "$time" "$nonce" "$body" 'Another key.'

other 'text without its last newline' false hex "$(over "${first_text%0a}")" 'Signed: timestamp, newline, nonce, newline, body.'
other 'text without its first newline' false hex "$(over "$(hex "$time$nonce")0a$(hex "$body")0a")" 'Signed: timestamp, nonce, newline, body, newline.'
other 'text without its second newline' false hex "$(over "$(hex "$time")0a$(hex "$nonce$body")0a")" 'Signed: timestamp, newline, nonce, body, newline.'
other 'text with CRLF' false hex "$(over "$(hex "$time")0d0a$(hex "$nonce")0d0a$(hex "$body")0d0a")" 'Signed with CRLF for each newline.'
other 'text with backslash and n' false hex "$(over "$(hex "$time\\n$nonce\\n$body\\n")")" 'Signed with the two characters \ and n for each newline.'
other 'text in another order' false hex "$(over "$(text_hex "$nonce" "$time" "$(hex "$body")")")" 'Signed: the nonce before the timestamp.'
other 'the body alone' false hex "$(over "$(hex "$body")")" 'Signed: the body, without timestamp and nonce.'
other 'a hash without the key' false hex "$(bytes "$first_text" | openssl dgst -sha256 -r | cut -d' ' -f1)" 'SHA-256 of the text.'
other 'HMAC with SHA-1' false none "$(bytes "$first_text" | openssl dgst -sha1 -mac HMAC -macopt "hexkey:$(hex "$key")" -r | cut -d' ' -f1)" 'Another hash.'
other 'HMAC with SHA-512' false none "$(bytes "$first_text" | openssl dgst -sha512 -mac HMAC -macopt "hexkey:$(hex "$key")" -r | cut -d' ' -f1)" 'Another hash.'
other 'first character changed' false hex "$(tr '0-9a-f' '1-9a-f0' <<<"${first:0:1}")${first:1}" 'A comparison has to look at the first byte.'
other 'last character changed' false hex "${first:0:63}$(tr '0-9a-f' '1-9a-f0' <<<"${first:63}")" 'A comparison has to look at the last byte.'
other 'truncated hex' false none "${first:0:62}" '31 bytes.'
other 'hex with more behind it' false none "${first}00" '33 bytes.'
other 'hex with a space in it' false none "${first:0:32} ${first:32}" 'White space is no part of hex.'
other 'hex with 0x before it' false none "0x$first" 'A prefix is no part of hex.'
other 'base64 without its padding' false none "${first_base64%=}" '43 characters.'
other 'base64url' false none "$(tr '+/' '-_' <<<"$first_base64")" 'Another alphabet.'
other 'base64 of the hex' false none "$(printf '%s' "$first" | openssl base64 -A)" 'Encoded twice.'
other 'nothing' false none '' 'An empty header.'
printf '\n  ]\n}\n'
