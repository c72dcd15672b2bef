#include "scratch.hpp"

namespace pullfx {

Arena& Arena::of_this_thread() {
    thread_local Arena arena;
    return arena;
}

const Arena::Chunk& Arena::chunk(std::size_t index, std::size_t bytes) {
    constexpr std::size_t least = std::size_t{1} << 20;
    if (index == chunks_.size()) chunks_.emplace_back();
    Chunk& chunk = chunks_[index];
    if (chunk.size < bytes || chunk.size == 0) {
        const std::size_t size = bytes < least ? least : bytes;
        chunk.memory.reset();
        chunk.size = 0;
        chunk.memory.reset(new std::byte[size]);
        chunk.size = size;
    }
    return chunk;
}

}  // namespace pullfx
