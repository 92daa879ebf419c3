# Paths of the host. Snapshots and plans always write them as C:\...; the system drive need not be C:.

function Get-HostPath {
    param([Parameter(Mandatory = $true)][ValidatePattern('^[Cc]:\\')][string]$Path)
    Join-Path -Path $env:SystemDrive -ChildPath $Path.Substring(2)
}

# The other way round: what a snapshot shows.
function Get-ShownPath {
    param([Parameter(Mandatory = $true)][string]$Path)
    'C:' + $Path.Substring($env:SystemDrive.Length).Replace('/', '\')
}

function Get-DataRoot {
    Join-Path -Path $env:ProgramData -ChildPath 'kubectl-win'
}
