// Where the pixels of an enlarged line lie, for instruction sets that shuffle bytes.
#pragma once

#include <cstdint>

namespace pullfx {

// How a line is enlarged by 2^bits: sixteen pixels lie between few of the line, which a load and
// two shuffles fetch. Where they lie between more than eight, there is a load for each eight
// pixels.
struct EnlargementTable {
    std::int16_t weights[64];
    std::uint8_t near[32], far[32];

    constexpr explicit EnlargementTable(int bits) : weights(), near(), far() {
        const int factor = 1 << bits;
        const int first = (1 - factor) >> (bits + 1);
        for (int x = 0; x < 64; ++x) {
            const int place = 2 * x + 1 - factor;
            weights[x] = static_cast<std::int16_t>((place & (2 * factor - 1)) << (14 - bits));
        }
        for (int x = 0; x < 16; ++x) {
            const int start = bits < 2 && x >= 8 ? (17 - factor) >> (bits + 1) : first;
            const int from = ((2 * x + 1 - factor) >> (bits + 1)) - start;
            for (int byte = 0; byte < 2; ++byte) {
                near[2 * x + byte] = static_cast<std::uint8_t>((2 * from + byte) & 15);
                far[2 * x + byte] = static_cast<std::uint8_t>((2 * from + 2 + byte) & 15);
            }
        }
    }
};

}  // namespace pullfx
